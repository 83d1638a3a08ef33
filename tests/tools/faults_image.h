/* Rows of test_faults.c: image filters. */

static rw_image_filter *filter;
static rw_array *image_x, *image_y;
static rw_image_op image_op;

/* 12 x 9 pixels; two passes, with memory between them. */
static const rw_image_spec image_spec = {.text = "median|gauss:sigma=1|normalize",
                                         .dtype = RW_U8,
                                         .width = 12,
                                         .height = 9};

static void before_image_arrays(void)
{
    const int64_t size[] = {9, 12};
    void *w;
    OK(rw_array_create(dev, RW_U8, 2, size, RW_MEMORY_DEVICE, &image_x));
    OK(rw_array_create(dev, RW_U8, 2, size, RW_MEMORY_DEVICE, &image_y));
    OK(rw_array_write(image_x, &w));
    for (int i = 0; i < 108; ++i) ((unsigned char *)w)[i] = (unsigned char)(i * 37);
    OK(rw_queue_create(dev, &q));
    OK(rw_array_zero(image_y, q));
    OK(rw_array_send(image_x, q));
    OK(rw_queue_wait(q));
}
static void before_filter(void)
{
    before_image_arrays();
    OK(rw_image_filter_create(dev, &image_spec, &filter));
}
static void after_filter(void)
{
    rw_image_filter_destroy(&filter);
    rw_queue_destroy(&q);
    rw_array_destroy(&image_x), rw_array_destroy(&image_y);
}

static rw_status call_filter(void)
{
    filter = poison;
    return made(rw_image_filter_create(dev, &image_spec, &filter), &filter);
}
static void result_filter(void)
{
    rw_image_info i;
    OK(rw_image_filter_get_info(filter, &i));
    note("%d passes, %lld bytes", i.passes, (long long)i.work_bytes);
}
static rw_status call_filter_execute(void)
{
    rw_status status = rw_image_filter_execute(filter, image_x, image_y, q);
    return status == RW_OK ? rw_queue_wait(q) : status;
}
static void result_image(void)
{
    OK(rw_array_read(image_y, &data));
    note_bytes("y", data, 108);
}
static rw_status call_filter_info(void)
{
    rw_image_info i;
    rw_status status = rw_image_filter_get_info(filter, &i);
    count = status == RW_OK ? i.passes : 0;
    return status;
}
TEXT_PROBE(call_filter_explain, rw_image_filter_explain(filter, &text))
static rw_status call_image_op(void) { return rw_image_op_parse(ctx, "gauss:sigma=2:border=wrap", &image_op); }
static void result_image_op(void) { note("%d %g %d", image_op.method, image_op.sigma, image_op.border); }
/* An operation of one's own; the second time its name is there. */
static rw_status own_create(rw_device *d, const char *options, rw_dtype dtype, int64_t width, int64_t height,
                            int channels, bool planar, void **state)
{
    return (void)d, (void)options, (void)dtype, (void)width, (void)height, (void)channels, (void)planar, (void)state,
           RW_OK;
}
static rw_status own_execute(void *state, rw_array *a, rw_array *b, rw_queue *queue_)
{
    return (void)state, rw_array_copy(b, a, queue_);
}
static rw_status call_image_own(void)
{
    static char names[64][16];
    static rw_image_own own[64];
    static int n;
    snprintf(names[n], sizeof names[n], "own%d", n);
    own[n] = (rw_image_own){names[n], "a copy", own_create, own_execute, NULL};
    rw_status status = rw_image_own_register(ctx, own + n);
    n += n < 63;
    return status;
}
static unsigned char tile_bytes[108];
static rw_status call_tiles(void)
{
    unsigned char in[108];
    for (int i = 0; i < 108; ++i) in[i] = (unsigned char)(i * 37);
    return rw_image_filter_tiles(dev,
                                 &(rw_image_spec){.text = "median|gauss:sigma=1",
                                                  .dtype = RW_U8,
                                                  .width = 12,
                                                  .height = 9},
                                 in, tile_bytes, 1 << 20, NULL);
}
static void result_tiles(void) { note_bytes("tiles", tile_bytes, sizeof tile_bytes); }
static void after_explanation(void) { after_text(), after_filter(); }

/* ---- files ------------------------------------------------------------------------------------------------------- */

static char image_path[128];
static void before_image_file(void)
{
    before_image_arrays();
    snprintf(image_path, sizeof image_path, "%s/image.png", root);
    OK(rw_image_save(image_x, image_path, false));
    OK(rw_array_zero(image_y, q));
    rw_array_destroy(&image_y);
}
static rw_status call_image_load(void)
{
    image_y = poison;
    return made(rw_image_load(dev, image_path, &image_y), &image_y);
}
static rw_status call_image_save(void) { return rw_image_save(image_x, image_path, true); }
static rw_image_tags image_tags;
static rw_status call_image_load_tags(void)
{
    image_y = poison;
    const rw_status status = made(rw_image_load_tags(dev, image_path, true, &image_y, &image_tags), &image_y);
    rw_image_tags_free(&image_tags);
    return status;
}
static rw_status call_image_save_tags(void)
{
    const rw_image_tags tags = {.orientation = 6};
    return rw_image_save_tags(image_x, image_path, true, &tags);
}
static rw_status call_images_figure(void)
{
    const rw_figure_image images[] = {{"x", image_x}, {"y", image_y}};
    return rw_figure_write_images(ctx, path_of("a.png"), NULL, 2, images);
}
static void result_image_file(void)
{
    rw_array *back;
    OK(rw_image_load(dev, image_path, &back));
    note("%s", rw_dtype_name(rw_array_dtype(back)));
    rw_array_destroy(&back);
}
