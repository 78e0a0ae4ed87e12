// tier: full
import { beforeAll, expect, test } from 'bun:test'
import { copyFile, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must, run } from '#tests/support/lab/run.ts'
import { unless } from '#tests/support/skip.ts'
import { type Image, machineObstacle, prepareImage } from '#tests/support/vm/image.ts'

const GIB = 2 ** 30
const MIB = 2 ** 20
const MINUTES = 60_000
const BOOT = 'console=ttyS0 root=/dev/vda rw quiet panic=-1 init=/sbin/run-program'

/**
 * Starts a virtual machine with Debian's kernel, an empty disk `/dev/vdb` of this size in GiB, and
 * `program` (an executable) as its only program, as root. Returns the program's output; throws the
 * console if there is none. The processor is emulated: this works wherever QEMU does.
 */
async function runInMachine(program: string, disk_gib: number): Promise<string> {
  const image = await prepareImage()
  const folder = await mkdtemp(join(tmpdir(), 'hc-vm-'))
  try {
    const empty = await blank(join(folder, 'empty.img'), disk_gib * GIB)
    const printed = await blank(join(folder, 'printed.img'), MIB)
    const disks = [empty, await carrierOf(program, folder), printed]
    const { stdout, stderr } = await run(qemu(image, disks), { timeout_ms: 8 * MINUTES })
    const text = (await readFile(printed, 'utf8')).replaceAll('\0', '')
    if (text === '') throw new Error(`the virtual machine printed nothing:\n${stdout}${stderr}`)
    return text
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function blank(path: string, size: number): Promise<string> {
  await writeFile(path, '')
  await truncate(path, size)
  return path
}

/** A file system with the program on it. */
async function carrierOf(program: string, folder: string): Promise<string> {
  const [content, path] = [join(folder, 'content'), join(folder, 'program.img')]
  await mkdir(content)
  await copyFile(program, join(content, 'program'))
  await must(['mke2fs', '-q', '-t', 'ext4', '-d', content, path, '512M'])
  return path
}

/** Writes of the machine to its root are lost. */
function qemu({ kernel, initrd, root }: Image, disks: readonly string[]): string[] {
  const drives = [`${root},snapshot=on`, ...disks].flatMap((file) => [
    '-drive',
    `file=${file},format=raw,if=virtio`,
  ])
  return [
    ...['qemu-system-x86_64', '-accel', 'tcg', '-cpu', 'max', '-m', '1536'],
    ...['-nodefaults', '-no-reboot', '-display', 'none', '-serial', 'stdio'],
    ...['-kernel', kernel, '-initrd', initrd, '-append', BOOT, ...drives],
  ]
}

const GUEST = 'tests/support/system/quota-guest.ts'
const EXCEEDED = 'fallocate: fallocate failed: Disk quota exceeded'
const CREATED = ['Creating the system user', 'Setting the disk quota', 'Creating the folders']

/** More than the largest tier of this test, twice: nothing else than the quota ends it. */
const DISK_GIB = 64

unless(await machineObstacle()).describe('the disk quota of a site', () => {
  let proof: Record<string, unknown>

  beforeAll(async () => {
    await prepareImage()
    const folder = await mkdtemp(join(tmpdir(), 'quota-'))
    const guest = join(folder, 'guest')
    await must([process.execPath, 'build', '--compile', `--outfile=${guest}`, GUEST])
    proof = JSON.parse(await runInMachine(guest, DISK_GIB))
    await rm(folder, { recursive: true })
  }, 15 * MINUTES)

  test.each(['ext4', 'xfs'])(
    'is enforced by the kernel on %s, and concerns that site alone',
    (type) => {
      const lines = ['shop', 'store'].flatMap((user) =>
        CREATED.map((line) => (line.endsWith('user') ? `${line} ${user}` : line)),
      )
      expect(proof[type]).toEqual({
        off: false,
        lines,
        small: {
          limits: [9_765_628, 250_000],
          within: 'done',
          beyond: EXCEEDED,
          other_user: "chown: changing ownership of '/srv/www/shop/tmp/a': Operation not permitted",
          // That is why the limit is not one of a project.
          other_project: 'done',
          still_beyond: EXCEEDED,
          neighbour: 'done',
        },
        copied: {
          fetched: ['done'],
          still_beyond: EXCEEDED,
          limits: [9_765_628, 250_000],
        },
        files: {
          beyond: "touch: cannot touch '400': Disk quota exceeded",
          used: 300,
          neighbour: 'done',
        },
        medium: {
          lines: ['Setting the disk quota'],
          limits: [24_414_064, 500_000],
          within: 'done',
          beyond: EXCEEDED,
        },
        trash: { kept: true, back: 'done', beyond: EXCEEDED },
        purged: null,
      })
    },
  )
})
