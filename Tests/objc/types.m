// Types without a server: names, values, JSON both ways, and what is refused.

#import "check.h"

static NSDictionary *json(NSString *text) {
    return [NSJSONSerialization JSONObjectWithData:[text dataUsingEncoding:NSUTF8StringEncoding] options:0 error:NULL];
}

void checkTypes(void) {
    // A struct, with its defaults, and one that inherits.
    DBFILESCommitInfo *info = [[[DBFILESCommitInfo alloc] initWithPath:@"/a"] autorelease];
    EXPECT([info.path isEqual:@"/a"]);
    EXPECT([info.mode isAdd] && ![info.mode isOverwrite] && info.mode.tag == DBFILESWriteModeAdd);
    EXPECT([info.autorename isEqual:@NO] && info.clientModified == nil);
    NSDate *date = [NSDate dateWithTimeIntervalSince1970:1431360000];
    DBFILESCommitInfo *full = [[[DBFILESCommitInfo alloc] initWithPath:@"/ä\"\\" mode:[[[DBFILESWriteMode alloc] initWithUpdate:@"abc"] autorelease]
        autorename:@(YES) clientModified:date mute:@(NO) propertyGroups:nil strictConflict:@(1)] autorelease];
    EXPECT([full.mode isUpdate] && [full.mode.update isEqual:@"abc"]);
    NSDictionary *written = [DBFILESCommitInfoSerializer serialize:full];
    EXPECT([[written objectForKey:@"client_modified"] isEqual:@"2015-05-11T16:00:00Z"]);
    EXPECT([[[written objectForKey:@"mode"] objectForKey:@"update"] isEqual:@"abc"]);
    EXPECT([[DBFILESCommitInfo deserialize:written] isEqual:full] && ![info isEqual:full]);
    EXPECT([full hash] == [[DBFILESCommitInfo deserialize:written] hash]);
    DBFILESUploadArg *upload = [[[DBFILESUploadArg alloc] initWithPath:@"/b"] autorelease];
    EXPECT([upload isKindOfClass:[DBFILESCommitInfo class]] && [upload.path isEqual:@"/b"] && upload.contentHash == nil);
    DBSHARINGSharedLinkSettings *links = [[[DBSHARINGSharedLinkSettings alloc] initDefault] autorelease];
    EXPECT([[DBSHARINGSharedLinkSettings serialize:links] count] == 0);

    // A struct with subtypes reads the one that its tag names; numbers keep all of their digits.
    NSDictionary *file = json(@"{\".tag\":\"file\",\"name\":\"a\",\"id\":\"id:1\",\"client_modified\":\"2015-05-12T15:50:38Z\","
                              @"\"server_modified\":\"2015-05-12T15:50:38Z\",\"rev\":\"123456789\",\"size\":7212,"
                              @"\"path_lower\":\"/a\",\"newer_field\":[1]}");
    DBFILESFileMetadata *metadata = (DBFILESFileMetadata *)[DBFILESMetadata deserialize:file];
    EXPECT([metadata isKindOfClass:[DBFILESFileMetadata class]] && [metadata.name isEqual:@"a"]);
    EXPECT([metadata.id_ isEqual:@"id:1"] && [metadata.size isEqual:@7212] && [metadata.isDownloadable isEqual:@YES]);
    EXPECT([metadata.pathLower isEqual:@"/a"] && metadata.pathDisplay == nil && metadata.mediaInfo == nil);
    EXPECT([[[DBFILESMetadata serialize:metadata] objectForKey:@".tag"] isEqual:@"file"]);
    EXPECT([metadata copy] == metadata && [[metadata description] rangeOfString:@"123456789"].length > 0);
    [metadata release];
    NSMutableDictionary *unknown = [NSMutableDictionary dictionaryWithDictionary:file];
    [unknown setObject:@"newer" forKey:@".tag"];
    EXPECT([[DBFILESMetadata deserialize:unknown] class] == [DBFILESMetadata class]);
    [unknown removeObjectForKey:@"name"];
    EXPECT(raises(^{ [DBFILESMetadata deserialize:unknown]; }));
    [unknown setObject:@5 forKey:@"name"];
    EXPECT(raises(^{ [DBFILESMetadata deserialize:unknown]; }));
    [unknown setDictionary:file];
    [unknown setObject:@1.5 forKey:@"size"];
    EXPECT(raises(^{ [DBFILESMetadata deserialize:unknown]; }));
    [unknown setObject:@7 forKey:@"size"];
    [unknown setObject:@"yesterday" forKey:@"client_modified"];
    EXPECT(raises(^{ [DBFILESMetadata deserialize:unknown]; }));

    // A union: a payload whose fields stand beside the tag, one below it, an unknown tag, a wrong access.
    DBFILESDeleteError *error = [DBFILESDeleteErrorSerializer deserialize:json(@"{\".tag\":\"path_lookup\",\"path_lookup\":{\".tag\":\"not_found\"}}")];
    EXPECT([error isPathLookup] && [error.pathLookup isNotFound] && error.tag == DBFILESDeleteErrorPathLookup);
    EXPECT([[error tagName] isEqual:@"DBFILESDeleteErrorPathLookup"]);
    EXPECT(raises(^{ [error pathWrite]; }));
    EXPECT([[DBFILESDeleteError deserialize:json(@"{\".tag\":\"newer\",\"newer\":1}")] isOther]);
    EXPECT([(DBFILESLookupError *)[DBFILESLookupError deserialize:(id)@"not_file"] isNotFile]);
    EXPECT(raises(^{ [DBFILESWriteMode deserialize:json(@"{\".tag\":\"newer\"}")]; }));
    EXPECT(raises(^{ [DBFILESWriteMode deserialize:(id)@[]]; }));
    NSString *nothing = nil;
    EXPECT(raises(^{ [[DBFILESWriteMode alloc] initWithUpdate:nothing]; }));
    EXPECT(raises(^{ [[DBFILESDeleteArg alloc] initWithPath:nothing]; }));
    NSDictionary *success = [NSDictionary dictionaryWithDictionary:file];
    NSMutableDictionary *entry = [NSMutableDictionary dictionaryWithDictionary:success];
    [entry setObject:@"success" forKey:@".tag"];
    DBFILESUploadSessionFinishBatchResultEntry *result = [DBFILESUploadSessionFinishBatchResultEntry deserialize:entry];
    EXPECT([result isSuccess] && [result.success.rev isEqual:@"123456789"]);
    NSDictionary *again = [DBFILESUploadSessionFinishBatchResultEntry serialize:result];
    EXPECT([[again objectForKey:@".tag"] isEqual:@"success"] && [[again objectForKey:@"rev"] isEqual:@"123456789"]);
    EXPECT([[DBFILESUploadSessionFinishBatchResultEntry deserialize:again] isEqual:result]);
    DBFILESLookupError *malformed = [[[DBFILESLookupError alloc] initWithMalformedPath:nil] autorelease];
    EXPECT([malformed isMalformedPath] && malformed.malformedPath == nil);
    EXPECT([[[[DBCOMMONPathRoot alloc] initWithRoot:@"1"] autorelease] isEqual:[DBCOMMONPathRoot deserialize:json(@"{\".tag\":\"root\",\"root\":\"1\"}")]]);

    // Names that are words of the language, or begin as methods that give ownership.
    EXPECT([[[[DBFILESListRevisionsMode alloc] initWithId_] autorelease] isId_]);
    EXPECT([[[[DBSHARINGTransferFolderError alloc] initWithDNewOwnerUnmounted] autorelease] isDNewOwnerUnmounted]);

    // Routes, and validators for types of a program's own.
    DBRoute *route = [DBFILESRouteObjects DBFILESDelete_V2];
    EXPECT([route.name isEqual:@"delete_v2"] && [route.namespace_ isEqual:@"files"] && route.host == DBRouteHostApi);
    EXPECT((Class)route.resultType == [DBFILESDeleteResult class] && ![route.deprecated boolValue]);
    EXPECT([[DBFILESRouteObjects DBFILESDownload].attrs isEqual:(@{@"auth" : @"user", @"host" : @"content", @"style" : @"download"})]);
    EXPECT(raises(^{ [DBStoneValidators stringValidator:@1 maxLength:@3 pattern:@"[a-z]+"](@"ABC"); }));
    EXPECT(!raises(^{ [DBStoneValidators stringValidator:@1 maxLength:@3 pattern:@"[a-z]+"](@"abc"); }));
    EXPECT(raises(^{ [DBStoneValidators arrayValidator:nil maxItems:@1 itemValidator:nil](@[ @1, @2 ]); }));

    // Blocks are objects, and hold what they use.
    NSMutableString *text = [[NSMutableString alloc] initWithString:@"kept"];
    NSUInteger before = [text retainCount];
    __block int times = 0;
    id block = [^{ times += (int)[text length]; } copy];
    EXPECT([text retainCount] == before + 1);
    NSOperationQueue *queue = [[[NSOperationQueue alloc] init] autorelease];
    [queue addOperationWithBlock:block];
    [queue waitUntilAllOperationsAreFinished];
    EXPECT(times == 4);
    ((void (^)(void))block)();
    EXPECT(times == 8);
    [block release];
    [text release];
}
