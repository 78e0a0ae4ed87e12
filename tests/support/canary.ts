import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Collects visible texts, place by place, and reports the places that contain a secret. */
export class Watcher {
  readonly #seen = new Map<string, string[]>()
  #timer: ReturnType<typeof setInterval> | undefined

  see(place: string, text: string): void {
    if (text === '') return
    const texts = this.#seen.get(place) ?? []
    if (!texts.includes(text)) this.#seen.set(place, [...texts, text])
  }

  /** Each file below, by its path there; as bytes, so that a database is read with its WAL. */
  async seeFiles(name: string, folder: string): Promise<void> {
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const text = await readFile(path, 'latin1').catch(() => '')
      this.see(`${name}${path.slice(folder.length)}`, text)
    }
  }

  /** Reads arguments and environment of these processes, also of later ones, and their children. */
  watch(programs: ReadonlyMap<number, string>, every_ms = 50): void {
    const look = (pid: number, name: string) => {
      this.see(`arguments of ${name}`, read(`/proc/${pid}/cmdline`))
      this.see(`environment of ${name}`, read(`/proc/${pid}/environ`))
      for (const child of childrenOf(pid)) {
        if (!programs.has(child)) look(child, `a child of ${name}`)
      }
    }
    this.#timer = setInterval(() => {
      for (const [pid, name] of programs) look(pid, name)
    }, every_ms)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** `place` of each secret that occurs anywhere, in any of its usual forms. */
  placesOf(secret: string): string[] {
    const forms = formsOf(secret)
    const holds = (text: string) => forms.some((form) => text.includes(form))
    return [...this.#seen].filter(([, texts]) => texts.some(holds)).map(([place]) => place)
  }
}

/**
 * Returns a line of a private key that no other key has: the first lines are the same in many.
 * Returns a secret of fewer lines whole.
 */
export const tellingPart = (secret: string): string => secret.split('\n')[3] ?? secret

/** Plain, and as JSON, base64, hexadecimal and a URL encode it. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const [base64, hex] = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')]
  const url = encodeURIComponent(secret)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    base64,
    bytes.toString('base64url'),
    hex,
    url,
  ]
}

/** Returns the processes that threads of this process have started: all of /proc takes far longer. */
const childrenOf = (pid: number): number[] =>
  threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // The process has ended.
    return ''
  }
}
