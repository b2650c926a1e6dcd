# Packs the files of a page for browsers into a C source:
#   cmake -DOUT=web.c -DROOT=src -DFOLDER=report/page/web -DNAME=report -DPREFIX=page_web -P WebFiles.cmake
# NAME.html is the page; its script and its styles are made of the files that order.txt names, one a line,
# in this order: of the same folder, or of ROOT where the name has a '/'. HEADER declares PREFIX_file.
# Bytes are numbers of an array, so that no compiler's limit on the length of strings counts.
file(STRINGS ${ROOT}/${FOLDER}/order.txt listed)
set(files_html ${NAME}.html)
set(files_css ${listed})
set(files_js ${listed})
list(FILTER files_css INCLUDE REGEX "\\.css$")
list(FILTER files_js INCLUDE REGEX "\\.js$")
if(NOT files_css)
  set(files_css ${NAME}.css)
endif()
string(REPEAT "." 80 line)
file(WRITE ${OUT}.part "/* Made by cmake/WebFiles.cmake. */\n#include \"${HEADER}\"\n")
foreach(kind html css js)
  set(bytes "")
  foreach(name IN LISTS files_${kind})
    if(NOT name MATCHES "/")
      set(name ${FOLDER}/${name})
    endif()
    file(READ ${ROOT}/${name} more HEX)
    string(APPEND bytes ${more} 0a)
  endforeach()
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  file(APPEND ${OUT}.part "static const unsigned char ${kind}[] = {\n${bytes}\n};\n"
    "const ${PREFIX}_file ${PREFIX}_${kind} = {${kind}, ${length}};\n")
endforeach()
file(RENAME ${OUT}.part ${OUT})
