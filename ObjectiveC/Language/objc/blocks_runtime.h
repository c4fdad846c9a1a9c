/* What GNUstep's headers include where there are blocks. */
#include <Block.h>
