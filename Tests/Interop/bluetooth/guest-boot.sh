#!/bin/busybox sh
# The first process of the machine, run by busybox from the initramfs. Makes a root out of the host's files (9p, read only)
# and a layer in memory that takes what is written, and goes on there with guest-run.sh.
stop() { busybox echo "interop-ble: $1"; busybox poweroff -f; }

busybox mkdir -p /proc /sys /dev /host /layer /world
busybox mount -t proc none /proc && busybox mount -t sysfs none /sys && busybox mount -t devtmpfs none /dev
# The set-up wrote them in the order of their dependencies.
while read -r module; do busybox insmod "/modules/$module" || busybox echo "interop-ble: $module did not load"; done </modules/order

nine="trans=virtio,version=9p2000.L,msize=524288"
busybox mount -t 9p -o "$nine,ro,cache=loose" host /host || stop "the host's files are not there"
busybox mount -t tmpfs none /layer && busybox mkdir /layer/changed /layer/work
busybox mount -t overlay -o lowerdir=/host,upperdir=/layer/changed,workdir=/layer/work none /world || stop "no root"
for folder in proc sys dev; do busybox mkdir -p "/world/$folder" && busybox mount --move "/$folder" "/world/$folder"; done
busybox mount -t tmpfs -o mode=755 none /world/run
busybox mkdir -p /world/run/share /world/dev/shm /world/dev/pts
busybox mount -t tmpfs none /world/dev/shm && busybox mount -t devpts none /world/dev/pts
busybox mount -t 9p -o "$nine" share /world/run/share || stop "no folder for results"
busybox chroot /world /bin/bash /run/share/guest-run.sh
busybox poweroff -f
