import type { Host } from '#tests/support/lab/index.ts'

const SIZE = 'size=900m'

/**
 * Moves a folder with all that it has to a disk of its own in memory, which can be filled. The
 * returned function restores the folder that was there before.
 */
export async function onDisk(host: Host, folder: string): Promise<() => Promise<unknown>> {
  const script = `cd /; former=$(mktemp -d); cp -a ${folder}/. $former
    mount -t tmpfs -o ${SIZE} tmpfs ${folder}; cp -a $former/. ${folder}; rm -r $former`
  await host.must(['bash', '-ec', script])
  return () => host.must(['umount', '--lazy', folder])
}

/** The disk has from now on only so many kilobytes free. */
export async function shrink(host: Host, path: string, free: number): Promise<void> {
  const [, used] = (await host.must(['df', '--output=used', path])).split('\n')
  await host.must(['mount', '-o', `remount,size=${Number(used) + free}k`, path])
}

export const grow = (host: Host, path: string): Promise<string> =>
  host.must(['mount', '-o', `remount,${SIZE}`, path])
