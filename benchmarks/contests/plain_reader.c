/* Reads svmlight text by the calls of the C library that LIBLINEAR's programs use: lines by fgets,
   words by strtok, numbers by strtol and strtod, one pass to count and one to store nodes of an
   index and a value. Prints the seconds, the rows, the nodes and the sum of the values. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct node {
  int index;
  double value;
};

static char* line;
static int room = 1024;

static char* next_line(FILE* file) {
  if (!fgets(line, room, file)) return NULL;
  while (!strchr(line, '\n')) {
    const int length = (int)strlen(line);
    room *= 2;
    line = realloc(line, (size_t)room);
    if (!fgets(line + length, room - length, file)) break;
  }
  return line;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char** arguments) {
  const double start = now();
  FILE* file = count == 2 ? fopen(arguments[1], "r") : NULL;
  if (!file) return 1;
  line = malloc((size_t)room);

  size_t rows = 0, nodes = 0;
  while (next_line(file)) {
    strtok(line, " \t");
    for (char* word = strtok(NULL, " \t"); word && *word != '\n'; word = strtok(NULL, " \t"))
      ++nodes;
    ++rows;
  }
  rewind(file);

  double* labels = malloc(rows * sizeof *labels);
  struct node** begins = malloc(rows * sizeof *begins);
  struct node *all = malloc((nodes + rows) * sizeof *all), *at = all;
  for (size_t i = 0; i < rows && next_line(file); ++i) {
    char* stop;
    begins[i] = at;
    labels[i] = strtod(strtok(line, " \t\n"), &stop);
    for (;;) {
      char *index = strtok(NULL, ":"), *value = strtok(NULL, " \t");
      if (!value) break;
      at->index = (int)strtol(index, &stop, 10);
      if (stop == index || *stop) return 2;
      at->value = strtod(value, &stop);
      if (stop == value) return 2;
      ++at;
    }
    (at++)->index = -1; /* the end of a row */
  }
  fclose(file);
  const double seconds = now() - start;

  double sum = 0;
  for (struct node* node = all; node < at; ++node)
    if (node->index >= 0) sum += node->value;
  printf("%.9f %zu %zu %.17g\n", seconds, rows, nodes, sum);
  return 0;
}
