# Packs the files of the HTML report into a C source:  cmake -DOUT=web.c -DFOLDER=.../web -P WebFiles.cmake
# The script is made of the files that order.txt names, one a line, in this order.
# Bytes are numbers of an array, so that no compiler's limit on the length of strings counts.
file(STRINGS ${FOLDER}/order.txt scripts)
set(files_html report.html)
set(files_css report.css)
set(files_js ${scripts})
string(REPEAT "." 80 line)
file(WRITE ${OUT}.part "/* Made by cmake/WebFiles.cmake. */\n#include \"report/page/web.h\"\n")
foreach(kind html css js)
  set(bytes "")
  foreach(name IN LISTS files_${kind})
    file(READ ${FOLDER}/${name} more HEX)
    string(APPEND bytes ${more} 0a)
  endforeach()
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  file(APPEND ${OUT}.part "static const unsigned char ${kind}[] = {\n${bytes}\n};\n"
    "const page_web_file page_web_${kind} = {${kind}, ${length}};\n")
endforeach()
file(RENAME ${OUT}.part ${OUT})
