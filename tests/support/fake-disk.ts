import type { Entry, Files, Stat, WriteOptions } from '#agent/host/ports.ts'
import type { SiteTree } from '#agent/scan/site-tree.ts'

type Node = { kind: Entry['kind']; text: string; options: WriteOptions }

/** A disk that is a map: absolute path → node. Parents exist as soon as something lies below them. */
export class FakeDisk implements Files {
  readonly nodes = new Map<string, Node>()
  free = 100 * 2 ** 30
  /** Called before each change; throws to make the change fail. */
  guard: (action: string) => void = () => undefined

  /** Every path with its text, folders with `null`: for comparing a whole disk. */
  get all(): Record<string, string | null> {
    const entries = [...this.nodes].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      entries.map(([path, { kind, text }]) => [path, kind === 'directory' ? null : text]),
    )
  }

  async read(path: string, most = 1 << 20): Promise<string | undefined> {
    const node = this.nodes.get(path)
    if (node?.kind === 'link') return this.read(node.text, most)
    if (node?.kind !== 'file') return undefined
    if (node.text.length > most) throw new Error(`${path} is larger than ${most} bytes`)
    return node.text
  }

  async write(path: string, text: string, options: WriteOptions = {}) {
    this.guard(`write ${path}`)
    this.nodes.set(path, { kind: 'file', text, options })
  }

  async append(path: string, text: string) {
    this.guard(`append ${path}`)
    const before = this.nodes.get(path)
    this.nodes.set(path, { kind: 'file', text: (before?.text ?? '') + text, options: {} })
  }

  async remove(path: string) {
    this.guard(`remove ${path}`)
    for (const key of [...this.nodes.keys()]) {
      if (key === path || key.startsWith(`${path}/`)) this.nodes.delete(key)
    }
  }

  async rename(from: string, to: string) {
    this.guard(`rename ${from} ${to}`)
    for (const [key, node] of [...this.nodes]) {
      if (key !== from && !key.startsWith(`${from}/`)) continue
      this.nodes.delete(key)
      this.nodes.set(to + key.slice(from.length), node)
    }
  }

  async mkdir(path: string, options: WriteOptions = {}) {
    this.guard(`mkdir ${path}`)
    this.nodes.set(path, { kind: 'directory', text: '', options })
  }

  async link(target: string, path: string) {
    this.guard(`link ${path}`)
    this.nodes.set(path, { kind: 'link', text: target, options: {} })
  }

  async list(path: string): Promise<Entry[]> {
    return this.#below(path)
  }

  async stat(path: string): Promise<Stat | undefined> {
    const node = this.nodes.get(path)
    if (node) {
      const mode = node.options.mode ?? (node.kind === 'directory' ? 0o755 : 0o644)
      return { kind: node.kind, size: node.text.length, mode, uid: 0, gid: 0, mtime_ms: 0 }
    }
    if ((await this.list(path)).length === 0) return undefined
    return { kind: 'directory', size: 0, mode: 0o755, uid: 0, gid: 0, mtime_ms: 0 }
  }

  async space() {
    return { free: this.free, total: 200 * 2 ** 30 }
  }

  /** Whether it is a folder that something lies in. */
  has(path: string): boolean {
    return this.nodes.has(path) || this.#below(path).length > 0
  }

  tree(root: string): SiteTree {
    return {
      where: () => root,
      head: (path, most) => this.nodes.get(`${root}/${path}`)?.text.slice(0, most),
      list: (path) => this.#below(path === '' ? root : `${root}/${path}`),
      stat: (path) => {
        const at = `${root}/${path}`.replace(/\/$/, '')
        const { kind, text } = this.nodes.get(at) ?? { kind: 'directory', text: '' }
        if (!this.has(at)) return undefined
        return { kind, size: text.length, mode: 0o644, uid: 0, gid: 0, mtime_ms: 0 }
      },
    }
  }

  #below(path: string): Entry[] {
    const found = new Map<string, Entry['kind']>()
    for (const [key, node] of this.nodes) {
      if (!key.startsWith(`${path}/`)) continue
      const [name = '', ...below] = key.slice(path.length + 1).split('/')
      found.set(name, below.length > 0 ? 'directory' : node.kind)
    }
    return [...found].map(([name, kind]) => ({ name, kind }))
  }
}
