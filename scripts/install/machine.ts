import { chmod, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { lastLines, type RunOptions as ProgramOptions, runToEnd } from '#scripts/lib/run.ts'

export interface RunOptions extends ProgramOptions {
  /** Whether the program also runs in a dry run, because it changes nothing. */
  reads?: boolean
}

interface Undo {
  title: string
  act: () => Promise<unknown>
}

/**
 * Makes all changes of an installation to this server. It records how to undo them; in a dry run it
 * reports the changes, and only reads.
 */
export class Machine {
  readonly dry: boolean
  readonly #print: (line: string) => void
  readonly #undo: Undo[] = []
  #interrupted = false

  constructor(dry: boolean, print: (line: string) => void = console.log) {
    this.dry = dry
    this.#print = print
  }

  log(line: string): void {
    this.#print(`- ${line}`)
  }

  /** Interrupts the installation: from now on the next call throws. */
  interrupt(): void {
    this.#interrupted = true
  }

  /** Registers the undo of the next change, before the change. */
  undo(title: string, act: () => Promise<unknown>): void {
    if (!this.dry) this.#undo.push({ title, act })
  }

  /** Returns standard output. Throws with the last output of a program that fails. */
  async run(argv: readonly string[], options: RunOptions = {}): Promise<string> {
    const { status, stdout, message } = await this.attempt(argv, options)
    if (status === 0) return stdout
    throw new Error(`${argv.slice(0, 3).join(' ')} failed (exit status ${status}): ${message}`)
  }

  async attempt(argv: readonly string[], { reads = false, ...options }: RunOptions = {}) {
    this.check()
    if (this.dry && !reads) {
      this.#print(`  would run ${argv.join(' ')}`)
      return { status: 0, stdout: '', message: '' }
    }
    return execute(argv, options)
  }

  /** Replaces a file of root atomically. Returns whether its content changed. */
  async put(path: string, text: string, mode = 0o644): Promise<boolean> {
    this.check()
    const before = await readFile(path, 'utf8').catch(absent)
    if (before === text) {
      if (!this.dry) await chmod(path, mode)
      return false
    }
    if (this.dry) {
      this.#print(`  would ${before === undefined ? 'write' : 'change'} ${path}`)
      return true
    }
    this.undo(`restore ${path}`, () =>
      before === undefined ? rm(path, { force: true }) : write(path, before, mode),
    )
    await write(path, text, mode)
    return true
  }

  async remove(path: string): Promise<boolean> {
    this.check()
    const before = await readFile(path, 'utf8').catch(absent)
    if (before === undefined) return false
    if (this.dry) this.#print(`  would remove ${path}`)
    this.undo(`restore ${path}`, () => write(path, before, 0o644))
    if (!this.dry) await rm(path)
    return true
  }

  /** Replaces a symbolic link atomically; undefined removes it. */
  async link(path: string, target: string | undefined): Promise<void> {
    this.check()
    const before = await readlink(path).catch(absent)
    if (before === target) return
    if (this.dry)
      return this.#print(target ? `  would link ${path} to ${target}` : `  would remove ${path}`)
    this.undo(`restore ${path}`, () => point(path, before))
    await point(path, target)
  }

  /** Creates a folder of root; the undo removes it with its contents if it was missing before. */
  async folder(path: string, mode = 0o755): Promise<void> {
    this.check()
    const made = this.dry ? undefined : await mkdir(path, { recursive: true })
    if (made !== undefined) this.undo(`remove ${made}`, () => rm(made, { recursive: true }))
    if (!this.dry) await chmod(path, mode)
  }

  /** Undoes all changes, newest first; returns those that could not be undone. */
  async rollBack(): Promise<string[]> {
    const failures: string[] = []
    this.#interrupted = false
    for (const { title, act } of this.#undo.splice(0).reverse()) {
      await act().catch((error: unknown) => {
        failures.push(`${title}: ${error instanceof Error ? error.message : error}`)
      })
    }
    return failures
  }

  check(): void {
    if (this.#interrupted) throw new Error('interrupted')
  }
}

async function execute(argv: readonly string[], options: RunOptions) {
  const env = { DEBIAN_FRONTEND: 'noninteractive', ...options.env }
  const { status, stdout, stderr } = await runToEnd(argv, { timeout_ms: 900_000, ...options, env })
  return { status, stdout, message: lastLines((stderr.trim() || stdout.trim()).slice(-4000), 8) }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}

async function write(path: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.new`, text, { mode, flush: true })
  await chmod(`${path}.new`, mode)
  await rename(`${path}.new`, path)
}

async function point(path: string, target: string | undefined): Promise<void> {
  if (target === undefined) return rm(path, { force: true })
  await rm(`${path}.new`, { force: true })
  await symlink(target, `${path}.new`)
  await rename(`${path}.new`, path)
}
