# Writes a file as a C array that ends with a zero.
#
#   cmake -D OUT=text.c -D NAME=array -D HEADER=path.h -D TEXT=file -P text.cmake
file(READ ${TEXT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x0a,)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"${HEADER}\"\n\nconst char ${NAME}[] = {\n${bytes} 0};\n")
