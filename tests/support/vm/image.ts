import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { available } from '#tests/support/lab/available.ts'
import { cached, removeTree } from '#tests/support/lab/cache.ts'
import { needPrograms } from '#tests/support/lab/prerequisites.ts'
import { must } from '#tests/support/lab/run.ts'
import { fetchSettings, sourcesOf } from '#tests/support/lab/sources.ts'

/** Files of a Debian system that QEMU can start. */
export type Image = { kernel: string; initrd: string; root: string }

const SUITE = 'bookworm'
const PACKAGES = ['linux-image-cloud-amd64', 'quota', 'e2fsprogs', 'xfsprogs', 'passwd']
const SIZE = '1536M'

/** An initrd that only mounts the root file system. */
const SMALL_INITRD = `\
mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/usr/share/initramfs-tools/modules.d"
echo MODULES=list > "$1/etc/initramfs-tools/conf.d/list"
printf 'virtio_pci\\nvirtio_blk\\n' > "$1/usr/share/initramfs-tools/modules.d/virtio"`

/** Process 1: runs the program on the third disk, writes its output to the fourth, turns off. */
const INIT = `#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
mount -t ext4 -o ro /dev/vdc /mnt
/mnt/program > /tmp/printed 2>&1
cat /tmp/printed > /dev/vdd
sync
echo o > /proc/sysrq-trigger
sleep 60
`

/** Why no virtual machine can run here, or undefined. Installs QEMU if it is missing. */
export async function machineObstacle(): Promise<string | undefined> {
  const reason = available() ?? (process.arch === 'x64' ? undefined : 'needs an x86-64 machine')
  if (reason !== undefined) return reason
  const needed = needPrograms({ 'qemu-system-x86_64': 'qemu-system-x86' })
  return needed.then(
    () => undefined,
    () => 'needs the package qemu-system-x86',
  )
}

/** Debian's kernel and programs. About two minutes the first time on a machine, nothing later. */
export async function prepareImage(): Promise<Image> {
  const recipe = JSON.stringify([SUITE, PACKAGES, SIZE, SMALL_INITRD, INIT])
  const digest = createHash('sha256').update(recipe).digest('hex').slice(0, 12)
  const folder = await cached(`${SUITE}-vm-${digest}`, build)
  const [kernel, initrd, root] = ['kernel', 'initrd', 'root.img'].map((name) => join(folder, name))
  return { kernel, initrd, root } as Image
}

async function build(draft: string): Promise<void> {
  await needPrograms({
    mmdebstrap: 'mmdebstrap',
    mke2fs: 'e2fsprogs',
    '/usr/share/keyrings/debian-archive-keyring.gpg': 'debian-archive-keyring',
  })
  const root = join(draft, 'root')
  await bootstrap(root)
  await writeFile(join(root, 'sbin/run-program'), INIT)
  await chmod(join(root, 'sbin/run-program'), 0o755)
  for (const [prefix, name] of [
    ['vmlinuz-', 'kernel'],
    ['initrd.img-', 'initrd'],
  ] as const) {
    const found = (await readdir(join(root, 'boot'))).find((file) => file.startsWith(prefix))
    await copyFile(join(root, 'boot', found ?? prefix), join(draft, name))
  }
  await must(['mke2fs', '-q', '-t', 'ext4', '-d', root, join(draft, 'root.img'), SIZE])
  await removeTree(root)
}

async function bootstrap(root: string): Promise<void> {
  const settings = ['Acquire::Languages "none";', ...(await fetchSettings())]
  const unread = ['doc', 'locale', 'man'].map((name) => `path-exclude=/usr/share/${name}/*`)
  await mkdir(root, { recursive: true })
  await must(
    [
      ...['mmdebstrap', '--quiet', '--variant=minbase', `--essential-hook=${SMALL_INITRD}`],
      ...['force-unsafe-io', ...unread].map((option) => `--dpkgopt=${option}`),
      ...settings.map((setting) => `--aptopt=${setting}`),
      ...[`--include=${PACKAGES.join(',')}`, SUITE, root, '-'],
    ],
    { input: await sourcesOf(SUITE), env: { DEBIAN_FRONTEND: 'noninteractive' } },
  )
}
