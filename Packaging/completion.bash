
# bash splits words at "=" and ":", and the program completes whole ones, such as posix=local. Called by bash in place of _dbxfs,
# and offers what that offers, without the part of the word that stands on the line.
_dbxfs_whole_words() {
    local rest=$COMP_LINE part
    local -a whole=()
    local -i index cword=0
    for index in "${!COMP_WORDS[@]}"; do
        part=${COMP_WORDS[index]}
        if [[ ${#whole[@]} -eq 0 || -z $rest || $rest == [[:space:]]* ]]; then
            rest=${rest#"${rest%%[![:space:]]*}"}
            whole+=("$part")
        else
            whole[${#whole[@]} - 1]+=$part
        fi
        rest=${rest#"$part"}
        if [[ $index -le $COMP_CWORD ]]; then cword=$((${#whole[@]} - 1)); fi
    done
    local word=${whole[cword]}
    local before=${word%"$2"} previous=$3
    if [[ $cword -gt 0 ]]; then previous=${whole[cword - 1]}; fi
    local -a COMP_WORDS=("${whole[@]}")
    local -i COMP_CWORD=$cword
    _dbxfs "$1" "$word" "$previous"
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
    # A value follows.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2> /dev/null; fi
}
complete -o filenames -F _dbxfs_whole_words dbxfs
