/* Included before each test where all tests are one program: main is NAME_main there. */
#pragma once

int main(void);
