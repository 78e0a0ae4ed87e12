import * as fs from 'node:fs'
import type { Random } from '#tests/support/random.ts'

const WORDS = [
  ...['photo.jpg', '.htaccess', 'cache', 'index.html', 'a', 'Grüße', '日本語', '🎉.png', 'e\u0301'],
  ...['new\nline', '\n', 'tab\there', ' space ', '-rf', '--help', "it's", '"double"', '`id`'],
  ...['$(id)', '$HOME', '*', '?', '[a-z]', '!', '#', '%00', '%41', '\\', '\\n', '..a', '...', '~'],
  ...['\x01\x1b[31m', '\x7f', 'CON', 'a:b', 'a|b;c&d', '{x,y}', '@', '\u202eexe', '\ufeff'],
]

/** No `/` and no zero byte: everything else is a valid name, also what is not UTF-8. */
function anyName(random: Random, index: number): Buffer {
  const word = Buffer.from(random.pick(WORDS))
  const number = Buffer.from(`${index}`)
  const raw = () =>
    Buffer.from(random.bytes(6).map((byte) => (byte === 0 || byte === 47 ? 1 : byte)))
  const long = () => Buffer.alloc(255 - number.length, random.pick(['x', 'ä', '\n']))
  const end = random.chance(0.1) ? raw() : random.chance(0.05) ? long() : word
  return Buffer.concat(random.chance(0.5) ? [number, end] : [end, number]).subarray(0, 255)
}

const SLASH = Buffer.from('/')
const MB = 2 ** 20

const inside = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, SLASH, name])

export type Entry = { path: Buffer; kind: 'folder' | 'file' | 'link' | 'other' }

export function kindOf(stats: fs.Stats | fs.BigIntStats): Entry['kind'] {
  if (stats.isDirectory()) return 'folder'
  if (stats.isFile()) return 'file'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

/** All entries below a folder. Names are bytes. */
export function entriesOf(folder: Buffer): Entry[] {
  const names = fs.readdirSync(folder, { encoding: 'buffer' }).sort(Buffer.compare)
  return names.flatMap((name): Entry[] => {
    const path = inside(folder, name)
    const kind = kindOf(fs.lstatSync(path))
    return [{ path, kind }, ...(kind === 'folder' ? entriesOf(path) : [])]
  })
}

export interface Site {
  /** The document root, as this machine sees it. */
  root: Buffer
  uid: number
  gid: number
}

/**
 * One random change of the files of a site, as its PHP or its owner by SSH could make it. Named pipes,
 * set-ID bits and foreign owners do not come back from a backup: see hostile-archive.ts.
 */
export function changeTree(random: Random, site: Site, index: number): void {
  const entries = entriesOf(site.root)
  const folders = [site.root, ...entries.flatMap((e) => (e.kind === 'folder' ? [e.path] : []))]
  const fresh = inside(random.pick(folders), anyName(random, index))
  if (entries.length < 3 || random.chance(0.6)) add(random, entries, fresh)
  else alter(random, entries, fresh)
  if (!fs.lstatSync(fresh, { throwIfNoEntry: false })) return
  fs.lchownSync(fresh, site.uid, site.gid)
  if (random.chance(0.5)) setTime(random, fresh)
}

function add(random: Random, entries: readonly Entry[], path: Buffer): void {
  const files = entries.filter(({ kind }) => kind === 'file')
  const choices: (() => void)[] = [
    () => fs.mkdirSync(path),
    () => fs.mkdirSync(path),
    ...Array.from({ length: 6 }, () => () => fs.writeFileSync(path, contentOf(random))),
    () => addSparse(random, path),
    () => fs.symlinkSync(targetOf(random, entries), path),
    () => (files.length === 0 ? undefined : fs.linkSync(random.pick(files).path, path)),
  ]
  random.pick(choices)()
}

function alter(random: Random, entries: readonly Entry[], fresh: Buffer): void {
  const { path, kind } = random.pick(entries)
  const below =
    Buffer.compare(fresh.subarray(0, path.length + 1), Buffer.concat([path, SLASH])) === 0
  const mode = random.pick([0, 0o400, 0o444, 0o600, 0o644, 0o755, 0o777, 0o1777])
  const choices: (() => void)[] = [
    () => fs.rmSync(path, { recursive: true }),
    () => (below ? undefined : fs.renameSync(path, fresh)),
    () => (kind === 'link' ? undefined : fs.chmodSync(path, mode)),
    () => setTime(random, path),
    ...(kind === 'file'
      ? [
          () => fs.appendFileSync(path, contentOf(random)),
          () => fs.writeFileSync(path, contentOf(random)),
          () => fs.truncateSync(path, random.below(100_000)),
          () => overwrite(random, path),
        ]
      : []),
  ]
  random.pick(choices)()
}

/** Bytes in the middle change, and size and time stay: only the content tells the difference. */
function overwrite(random: Random, path: Buffer): void {
  const { size, atime, mtime } = fs.statSync(path)
  if (size === 0) return
  const file = fs.openSync(path, 'r+')
  const bytes = random.bytes(Math.min(size, 8))
  fs.writeSync(file, bytes, 0, bytes.length, random.below(size - bytes.length + 1))
  fs.closeSync(file)
  if (random.chance(0.5)) fs.utimesSync(path, atime, mtime)
}

function contentOf(random: Random): Buffer {
  const choices = [
    () => Buffer.alloc(0),
    () => random.bytes(random.below(200)),
    () => random.bytes(random.below(100_000)),
    () => Buffer.alloc(random.below(3 * MB), 'the same text again\n'),
    () => Buffer.alloc(random.below(2 * MB)),
    () => Buffer.from(`<?php echo '${'ä𝄞'.repeat(random.below(500))}';\r\n`),
  ]
  return random.chance(0.02) ? random.bytes(random.below(24 * MB)) : random.pick(choices)()
}

/** Mostly holes: its data are a few bytes at random places. */
function addSparse(random: Random, path: Buffer): void {
  const size = random.chance(0.1) ? 700 * MB : random.between(20, 90) * MB
  const file = fs.openSync(path, 'w')
  fs.ftruncateSync(file, size)
  for (let count = random.below(4); count > 0; count -= 1) {
    fs.writeSync(file, random.bytes(1000), 0, 1000, random.below(size - 1000))
  }
  fs.closeSync(file)
}

function targetOf(random: Random, entries: readonly Entry[]): Buffer {
  const texts = ['/etc/shadow', '../../../etc', 'nowhere', '.', '..', '/', 'a\nb', '\xff', '//x']
  const text = Buffer.from(random.pick(texts), 'latin1')
  return entries.length > 0 && random.chance(0.4) ? random.pick(entries).path : text
}

/** Before 1970, after 2038, with nanoseconds or without. */
function setTime(random: Random, path: Buffer): void {
  const second = random.pick([0, 1, -1, 951782400, 2 ** 31, 4102444800, random.below(2 ** 31)])
  const part = random.pick([0, 0.5, 0.999999, random.below(1_000_000) / 1_000_000])
  fs.lutimesSync(path, second, second + part)
}
