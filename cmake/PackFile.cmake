# Packs a file into a C source:  cmake -DOUT=x.c -DIN=file -DNAME=array -P PackFile.cmake
# As numbers of an array, since compilers limit the length of strings: NAME, and NAME_size.
file(READ ${IN} bytes HEX)
string(LENGTH "${bytes}" length)
math(EXPR length "${length} / 2")
string(REPEAT "." 80 line)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT}.part "/* Made by cmake/PackFile.cmake. */\n#include <stddef.h>\n"
  "extern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_size;\n"
  "const unsigned char ${NAME}[] = {\n${bytes}\n};\nconst size_t ${NAME}_size = ${length};\n")
file(RENAME ${OUT}.part ${OUT})
