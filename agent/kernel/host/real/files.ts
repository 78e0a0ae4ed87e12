import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  opendir,
  readdir,
  readFile,
  rename,
  rm,
  statfs,
  symlink,
  unlink,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { draftName } from '#agent/kernel/host/draft.ts'
import type { Files, FolderEntry, WriteOptions } from '#agent/kernel/host/ports.ts'
import { kindOf, statOf } from './file-kind.ts'

const MAX_READ = 1 << 20
const PART_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY

/** Root-owned files of the machine. */
export const files: Files = {
  async read(path, most = MAX_READ) {
    if (path.startsWith('/proc/')) return readOfKernel(path)
    await using handle = await open(path, READ_FLAGS).catch(ignoreMissing)
    const found = await handle?.stat()
    if (!handle || !found?.isFile()) return undefined
    if (found.size > most) throw new Error(`${path} is larger than ${most} bytes`)
    return await handle.readFile('utf8')
  },

  async write(path, text, options = {}) {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 })
    const temporary = join(dirname(path), draftName(randomBytes(6)))
    try {
      await writeNew(temporary, text, options)
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    await syncFolder(dirname(path))
  },

  async append(path, text, { sync = false } = {}) {
    await using handle = await open(path, 'a', 0o600)
    await handle.writeFile(text)
    if (sync) await handle.datasync()
  },

  async remove(path) {
    await rm(path, { recursive: true, force: true })
  },

  async rename(from, to) {
    await rename(from, to)
    await syncFolder(dirname(to))
  },

  async mkdir(path, options = {}) {
    await mkdir(path, { recursive: true, mode: 0o755 })
    await using handle = await open(path, FOLDER_FLAGS | constants.O_NOFOLLOW)
    if (Object.keys(options).length > 0) await setOwnerAndMode(handle, options, 0o755)
  },

  async link(target, path) {
    await unlink(path).catch(ignoreMissing)
    await symlink(target, path)
  },

  async list(path, most) {
    if (most !== undefined) return await firstEntries(path, most)
    const entries = await readdir(path, { withFileTypes: true }).catch(ignoreMissing)
    return (entries ?? []).map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
  },

  async part(path, from, most) {
    await using handle = await open(path, PART_FLAGS).catch(ignoreLink)
    if (!handle || !(await handle.stat()).isFile()) return undefined
    const bytes = new Uint8Array(most)
    let size = 0
    while (size < most) {
      const { bytesRead } = await handle.read(bytes, size, most - size, from + size)
      if (bytesRead === 0) break
      size += bytesRead
    }
    return bytes.subarray(0, size)
  },

  async stat(path) {
    const found = await lstat(path).catch(ignoreMissing)
    return found && statOf(found)
  },

  async space(path) {
    const { bavail, blocks, bsize } = await statfs(path)
    return { free: bavail * bsize, total: blocks * bsize }
  },
}

async function firstEntries(path: string, most: number): Promise<FolderEntry[]> {
  const folder = await opendir(path).catch(ignoreMissing)
  const found: FolderEntry[] = []
  for await (const entry of folder ?? []) {
    found.push({ name: entry.name, kind: kindOf(entry) })
    if (found.length >= most) break
  }
  return found
}

async function writeNew(path: string, text: string, options: WriteOptions): Promise<void> {
  await using handle = await open(path, 'wx', 0o600)
  await handle.writeFile(text)
  await setOwnerAndMode(handle, options, 0o644)
  await handle.sync()
}

/** Sets the owner first: chown clears the set-id bits that the mode may contain. */
async function setOwnerAndMode(
  handle: FileHandle,
  { mode, owner, group }: WriteOptions,
  usual: number,
) {
  const uid = owner === undefined ? 0 : await idOf('/etc/passwd', owner)
  const primary = owner === undefined ? 0 : await idOf('/etc/passwd', owner, 3)
  const gid = group === undefined ? primary : await idOf('/etc/group', group)
  if (process.getuid?.() === 0) await handle.chown(uid, gid)
  await handle.chmod(mode ?? usual)
}

async function idOf(database: string, name: string, column = 2): Promise<number> {
  for (const line of (await readFile(database, 'utf8')).split('\n')) {
    const fields = line.split(':')
    if (fields[0] === name) return Number(fields[column])
  }
  throw new Error(`${name} is not in ${database}`)
}

async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, FOLDER_FLAGS)
  await handle.sync()
}

/** Errors of missing files; ENODEV and ESRCH if the group or process ended meanwhile. */
const MISSING = ['ENOENT', 'ENOTDIR', 'ENODEV', 'ESRCH']

function ignoreLink(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ELOOP') return ignoreMissing(error)
}

/** Returns undefined for a file that an ordinary user may not see: root sees everything. */
/** Reads synchronously, since it never waits for a disk: a fifth of the processor time. */
function readOfKernel(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, READ_FLAGS)
  } catch (error) {
    return ignoreMissing(error as NodeJS.ErrnoException)
  }
  try {
    return fstatSync(file).isFile() ? readFileSync(file, 'utf8') : undefined
  } finally {
    closeSync(file)
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  const code = error.code ?? ''
  if (MISSING.includes(code)) return
  if (code !== 'EACCES' || process.getuid?.() === 0) throw error
}
