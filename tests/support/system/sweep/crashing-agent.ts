import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { readConfig } from '#agent/kernel/config.ts'
import type { Files } from '#agent/kernel/host/ports.ts'
import { rewrite } from '#agent/programs/rewrite/serve.ts'
import { realHost } from '#agent/real-host.ts'
import { serve } from '#agent/start.ts'
import { runOwnProgram } from '#tests/support/system/own-programs.ts'
import { CRASH_POINTS, type CrashPoint, STARTED } from './crash-point.ts'

await runOwnProgram(process.argv[2], process.argv.slice(3))

/** This machine's agent; it crashes or stops at the first record in the file CRASH_POINTS. */
const config = readConfig(process.env)
const real = realHost(config.settings)
const operations = `${config.settings.state_dir}/operations/`
/** For each file, the records this process has appended while it had a point. */
const records = new Map<string, number>()

/** A point within a step whose record was written. */
let due: { point: CrashPoint; calls: number } | undefined

function counted<T extends object>(port: T): T {
  return new Proxy(port, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        count(name, args)
        return member.apply(target, args)
      }
    },
  })
}

const EFFECTS = ['write', 'append', 'remove', 'rename', 'mkdir', 'link', 'run', 'try', 'admin']

/** The records of operations are not of the step. */
function count(name: string | symbol, [path]: unknown[]): void {
  if (!due || !EFFECTS.includes(String(name)) || String(path).startsWith(operations)) return
  // An operation that ended before its point leaves it behind.
  if (!Bun.deepEquals(points()[0], due.point)) due = undefined
  if (!due) return
  due.calls -= 1
  if (due.calls === 0) meet(due.point)
}

const append: Files['append'] = async (path, text, options) => {
  const point = path.startsWith(operations) && text !== '' ? crashPointOf(path) : undefined
  if (point?.when === 'before') meet(point)
  if (point?.when === 'torn') {
    await real.files.append(path, text.slice(0, text.length / 2), options)
    meet(point)
  }
  await real.files.append(path, text, options)
  if (point?.when === 'after' && !point.calls) meet(point)
  if (point?.calls) due = { point, calls: point.calls }
}

/** The point of this record, if chosen. */
function crashPointOf(path: string): CrashPoint | undefined {
  const [point] = points()
  if (!point || !path.endsWith(`/${point.file}.ndjson`)) return undefined
  const record = (records.get(path) ?? 0) + 1
  records.set(path, record)
  return record === point.record ? point : undefined
}

function meet({ how }: CrashPoint): void {
  const rest = points().slice(1)
  if (rest.length > 0) writeFileSync(CRASH_POINTS, JSON.stringify(rest))
  else unlinkSync(CRASH_POINTS)
  process.kill(process.pid, how)
}

function points(): CrashPoint[] {
  return existsSync(CRASH_POINTS) ? JSON.parse(readFileSync(CRASH_POINTS, 'utf8')) : []
}

const [name, ...args] = process.argv.slice(2)
if (name === 'rewrite') await rewrite(args)
else {
  writeFileSync(STARTED, String(performance.timeOrigin))
  const { files, shell, database } = real
  const ports = { shell: counted(shell), database: counted(database) }
  await serve(config, { ...real, ...ports, files: counted({ ...files, append }) })
}
