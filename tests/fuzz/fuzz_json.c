/* Any bytes as JSON: the reader answers OK or ERR_INPUT with a position, and what it read survives being written and
 * read again. */
#include <string.h>

#include "core/json.h"
#include "fuzz.h"

static void write_tree(rw_json_writer *w, const rw_json *tree)
{
    switch (tree->kind) {
    case RW_JSON_NULL: rw_json_string(w, NULL); return;
    case RW_JSON_BOOL: rw_json_bool(w, tree->boolean); return;
    case RW_JSON_NUMBER: rw_json_number(w, tree->number); return;
    case RW_JSON_STRING: rw_json_string(w, tree->string); return;
    case RW_JSON_ARRAY: rw_json_array(w); break;
    case RW_JSON_OBJECT: rw_json_object(w);
    }
    for (int i = 0; i < tree->n; i++) {
        if (tree->keys) rw_json_key(w, tree->keys[i]);
        write_tree(w, tree->items[i]);
    }
    rw_json_close(w);
}

static int depth_of(const rw_json *tree)
{
    int deepest = 0;
    for (int i = 0; i < tree->n; i++) {
        int depth = depth_of(tree->items[i]);
        deepest = RW_MAX(deepest, depth);
    }
    return deepest + (tree->kind == RW_JSON_ARRAY || tree->kind == RW_JSON_OBJECT);
}

static int same(const rw_json *a, const rw_json *b)
{
    if (a->kind != b->kind || a->n != b->n || a->boolean != b->boolean || a->number != b->number) return 0;
    if (a->string && strcmp(a->string, b->string) != 0) return 0;
    for (int i = 0; i < a->n; i++)
        if ((a->keys && strcmp(a->keys[i], b->keys[i]) != 0) || !same(a->items[i], b->items[i])) return 0;
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    rw_json *tree, *again;
    rw_status status = rw_json_parse(NULL, (const char *)data, n, &tree);
    if (status != RW_OK) {
        long line = 0, column = 0;
        require(status == RW_ERR_INPUT && !tree, "a failure is ERR_INPUT and leaves no tree");
        require(sscanf(rw_message(NULL), "%ld:%ld: ", &line, &column) == 2, "a failure has a position");
        require(line >= 1 && column >= 1 && (size_t)(line + column) <= n + 2, "the position lies in the text");
        return 0;
    }
    if (depth_of(tree) < 32) { /* the writer's limit */
        rw_text text = {0};
        rw_json_writer w;
        rw_json_begin(&w, &text, (int)(n % 3));
        write_tree(&w, tree);
        require(!text.failed, "what was read can be written");
        require(rw_json_parse(NULL, text.data, text.length, &again) == RW_OK, "what was written can be read");
        require(same(tree, again), "it is the same");
        rw_json_free(&again);
        rw_text_free(&text);
    }
    rw_json_free(&tree);
    return 0;
}
