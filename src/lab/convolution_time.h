/* One image on one device for the study convolution: kernels and the library's filter, checked and timed. */
#ifndef RW_LAB_CONVOLUTION_TIME_H
#define RW_LAB_CONVOLUTION_TIME_H

#include "lab/convolution_kernels.h"
#include "lab/lab.h"
#include "rechenwerk/image.h"

typedef struct rw_conv2d_picture { /* on the host */
    int64_t width, height;
    int channels;
    uint8_t *x, *y; /* the test image, a result */
} rw_conv2d_picture;
rw_status rw_conv2d_picture_create(rw_context *context, int64_t width, int64_t height, int channels,
                                   rw_conv2d_picture *picture);
void rw_conv2d_picture_free(rw_conv2d_picture *picture);

typedef struct rw_conv2d_work {
    rw_device *device;
    const rw_conv2d_picture *image;
    rw_array *x, *y;
    rw_conv2d kernel;
    rw_image_filter *filter; /* of the library, in place of the kernel */
    rw_array *filter_x, *filter_y;
} rw_conv2d_work;
/* Arrays on the device alone; free them after a failure too. */
rw_status rw_conv2d_work_copy(rw_device *device, const rw_conv2d_picture *picture, rw_conv2d_work *work);
/* With a kernel of 2010, or with the filter "box:size=LINE:border=…" of the library. */
rw_status rw_conv2d_work_kernel(rw_device *device, const rw_conv2d_picture *picture, const rw_conv2d_variant *variant,
                                rw_conv2d_border border, const rw_mask *mask, rw_conv2d_work *work);
rw_status rw_conv2d_work_filter(rw_device *device, const rw_conv2d_picture *picture, rw_conv2d_border border, int line,
                                rw_conv2d_work *work);
void rw_conv2d_work_free(rw_conv2d_work *work);

/* The CRC that results must have: the host's, which is compared with the known one where there is one. Leaves the
 * result in y. */
rw_status rw_conv2d_reference(rw_lab *lab, const rw_mask *mask, rw_conv2d_border border, rw_conv2d_picture *picture,
                              uint32_t *crc);
/* One launch. ERR_INTERNAL: its result has another CRC. */
rw_status rw_conv2d_check_result(const rw_conv2d_work *work, const char *name, int line, uint32_t wanted);

/* Seconds, the median of the settings' `runs`, of which at least one is made, and not more than `seconds` have room
 * for. */
rw_status rw_conv2d_time_launches(const rw_lab *lab, const rw_conv2d_work *work, double *seconds);
/* The image to the device, a launch (after rw_conv2d_work_copy: nothing), the result back. */
rw_status rw_conv2d_time_transfers(const rw_lab *lab, const rw_conv2d_work *work, double *seconds);
/* One thread, zero padding. */
rw_status rw_conv2d_time_host(const rw_lab *lab, const rw_mask *mask, rw_conv2d_picture *picture, double *seconds);

#endif
