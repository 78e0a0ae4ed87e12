import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}
const ENCODINGS = { br: '.br', gzip: '.gz' } as const
type Encoding = keyof typeof ENCODINGS

/** One file of the pages, and its compressed forms. */
export interface Asset {
  path: string
  type: string
  encodings: Encoding[]
}

/** The result of build-web.ts: the document, and its files by name. */
export interface BuiltPages {
  document: string
  /** The page of a new tab that hands a token to a site. */
  handoff: string
  assets: ReadonlyMap<string, Asset>
}

/** Reads the built pages; undefined while a part of them is missing. */
export async function readBuiltPages(folder: string): Promise<BuiltPages | undefined> {
  const document = Bun.file(join(folder, 'index.html'))
  const handoff = Bun.file(join(folder, 'handoff.html'))
  if (!(await document.exists()) || !(await handoff.exists())) return undefined
  const names = new Set(await readdir(join(folder, 'assets')))
  const plain = [...names].filter((name) => !/\.(br|gz)$/.test(name))
  const assets = plain.map((name): [string, Asset] => {
    const encodings = (['br', 'gzip'] as const).filter((kind) => names.has(name + ENCODINGS[kind]))
    const type = TYPES[extname(name)] ?? 'application/octet-stream'
    return [name, { path: join(folder, 'assets', name), type, encodings }]
  })
  return {
    document: await document.text(),
    handoff: await handoff.text(),
    assets: new Map(assets),
  }
}

/** Returns the smallest form that the client accepts (RFC 9110, 12.5.3). */
export function fileOf(asset: Asset, accepted: string): { path: string; encoding?: Encoding } {
  const encoding = asset.encodings.find((kind) => accepts(accepted, kind))
  return encoding ? { path: asset.path + ENCODINGS[encoding], encoding } : { path: asset.path }
}

export function accepts(header: string, coding: Encoding): boolean {
  const found = header.split(',').map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  )
  const [, weight = 'q=1'] = found.find(([name]) => name === coding) ?? [coding, 'q=0']
  return !/^q=0(\.0*)?$/.test(weight)
}
