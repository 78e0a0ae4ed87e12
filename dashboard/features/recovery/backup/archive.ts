import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

/** A member of a new archive: text or a file. */
export type ArchiveContent = { name: string; text: string } | { name: string; file: string }

export interface ArchiveMember {
  name: string
  offset: number
  size: number
}

const BLOCK = 512
const CHUNK = 1 << 20
const MAX_SIZE = 8 ** 11 - 1
/** The maximum of members; our archives have at most four. */
const MAX_MEMBERS = 16

/** Writes a tar file (POSIX.1-1988, ustar) for its owner alone, and syncs it. */
export async function writeArchive(
  path: string,
  contents: readonly ArchiveContent[],
): Promise<void> {
  await using archive = await open(path, 'wx', 0o600)
  for (const content of contents) await writeMember(archive, content)
  await archive.writeFile(Buffer.alloc(2 * BLOCK))
  await archive.sync()
}

/** Lists the members of a complete tar file. Throws for any other one, and more than 16. */
export async function listMembers(archive: FileHandle): Promise<ArchiveMember[]> {
  const { size: end } = await archive.stat()
  const members: ArchiveMember[] = []
  for (let at = 0; members.length <= MAX_MEMBERS; ) {
    const header = await read(archive, at, BLOCK)
    if (header.every((byte) => byte === 0)) return members
    const member = { ...parseHeader(header), offset: at + BLOCK }
    if (member.size > end - member.offset) break
    members.push(member)
    at = member.offset + padded(member.size)
  }
  throw new Error('it is not a tar file')
}

export async function readText(
  archive: FileHandle,
  { offset, size }: ArchiveMember,
): Promise<string> {
  if (size > CHUNK) throw new Error('a member is too large')
  return (await read(archive, offset, size)).toString('utf8')
}

/** Returns the SHA-256 of the member, in hex, and writes it to `target` if given. */
export async function extract(
  archive: FileHandle,
  { offset, size }: ArchiveMember,
  target?: FileHandle,
): Promise<string> {
  const hash = createHash('sha256')
  for (let done = 0; done < size; ) {
    const chunk = await read(archive, offset + done, Math.min(CHUNK, size - done))
    hash.update(chunk)
    await target?.writeFile(chunk)
    done += chunk.length
  }
  return hash.digest('hex')
}

async function writeMember(archive: FileHandle, content: ArchiveContent): Promise<void> {
  if ('text' in content) {
    const bytes = Buffer.from(content.text)
    await archive.writeFile(headerOf(content.name, bytes.length))
    await archive.writeFile(Buffer.concat([bytes, padding(bytes.length)]))
    return
  }
  await using file = await open(content.file, 'r')
  const { size } = await file.stat()
  if (size > MAX_SIZE) throw new Error('the database is larger than 8 GiB')
  await archive.writeFile(headerOf(content.name, size))
  for (let done = 0; done < size; done += CHUNK)
    await archive.writeFile(await read(file, done, Math.min(CHUNK, size - done)))
  await archive.writeFile(padding(size))
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done)
    if (bytesRead === 0) throw new Error('it is incomplete')
    done += bytesRead
  }
  return bytes
}

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11), 108)
  header.write('        0', 148)
  header.write('ustar\x0000', 257)
  header.write(`${octal(sumOf(header), 6)} `, 148)
  return header
}

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (from: number, to: number) =>
    header.toString('latin1', from, to).split('\0')[0] ?? ''
  const sum = octalIn(text(148, 156))
  const size = octalIn(text(124, 136))
  header.fill(' ', 148, 156)
  if (size === undefined || sum !== sumOf(header)) throw new Error('it is not a tar file')
  return { name: text(0, 100), size }
}

/** Parses octal digits, with surrounding spaces as some programs write them, and no sign. */
function octalIn(field: string): number | undefined {
  const digits = /^ *([0-7]{1,11}) *$/.exec(field)?.[1]
  return digits === undefined ? undefined : Number.parseInt(digits, 8)
}

const sumOf = (bytes: Buffer) => bytes.reduce((sum, byte) => sum + byte, 0)
const padded = (size: number) => Math.ceil(size / BLOCK) * BLOCK
const padding = (size: number) => Buffer.alloc(padded(size) - size)
