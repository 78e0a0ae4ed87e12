import process from 'node:process'
import { commands } from '#agent/commands.ts'
import { findRepositories, readKeeper } from '#agent/features/backups/storage/find.ts'
import { listBackups } from '#agent/features/backups/storage/list.ts'
import { readConfig } from '#agent/kernel/config.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { realHost } from '#agent/real-host.ts'
import { FindRequest, KeeperRequest, ListRequest } from '#shared/backups/backup-find.ts'
import { COMMANDS } from '#shared/commands.ts'
import { isCommandName } from '#shared/contracts.ts'
import { runOwnProgram } from './own-programs.ts'

/** The calls of an agent that read a storage. Returns for any other name. */
async function runReading(name: string, text: string): Promise<void> {
  const host = () => realHost(readConfig(process.env).settings)
  const params: unknown = JSON.parse(text)
  const readings: Record<string, () => Promise<object>> = {
    'backups.find': () => findRepositories(host(), FindRequest.parse(params)),
    'backups.list': () => listBackups(host(), ListRequest.parse(params)),
    'backups.keeper': () => readKeeper(host(), KeeperRequest.parse(params)),
  }
  const read = readings[name]
  if (!read) return
  const outcome = await read().then(
    (data) => ({ event: 'complete', data }),
    (error: unknown) => ({ event: 'refused', data: { message: String(error) } }),
  )
  console.log(JSON.stringify({ outcome, steps: [] }))
  process.exit(0)
}

/**
 * Runs one command on its own machine, in one process, and fails at the n-th call of a port within a
 * step (`none`: at none). Prints as JSON the last event, for each step of the journal its number of
 * calls, and the arguments of each restic. `recover` ends what a killed one has left.
 *
 *     faulty-agent <command> <step>:<n> <params as JSON>
 */
const [name = '', failAt = 'none', params = '{}'] = process.argv.slice(2)
await runOwnProgram(name, process.argv.slice(3))
await runReading(name, params)
if (!isCommandName(name) && name !== 'recover') throw new Error(`unknown command: ${name}`)
const restics: string[] = []
const steps: { step: string; calls: number }[] = []
let injecting = true
/** Between the intent and the end of a step. */
let within = false

function counted<T extends object>(port: T): T {
  return new Proxy(port, {
    get(target, name, receiver) {
      const member = Reflect.get(target, name, receiver)
      if (typeof member !== 'function' || name === 'tree') return member
      return (...args: unknown[]) => {
        note(name === 'append' ? String(args[1]) : '')
        noteRestic(args[0])
        return member.apply(target, args)
      }
    },
  })
}

/** Counts a call and fails the chosen one, once: the rollback has no further fault. */
function note(appended: string): void {
  const { step, state } =
    /"step":"(?<step>[^"]+)","state":"(?<state>\w+)"/.exec(appended)?.groups ?? {}
  if (step) within = state === 'intent'
  if (step && within) steps.push({ step, calls: 0 })
  const current = steps.at(-1)
  if (!current || !within || step) return
  current.calls += 1
  if (injecting && `${current.step}:${current.calls}` === failAt) {
    injecting = false
    throw new Error('injected fault')
  }
}

/** Its command with everything after it. */
function noteRestic(argv: unknown): void {
  if (!Array.isArray(argv) || !String(argv[0]).endsWith('/restic')) return
  const command = argv.findIndex((word, at) => at > 0 && /^[a-z]+$/.test(word))
  restics.push(argv.slice(command).join(' '))
}

const real = realHost(readConfig(process.env).settings)
const host: Host = {
  ...real,
  shell: counted(real.shell),
  files: counted(real.files),
  database: counted(real.database),
  net: counted(real.net),
}
const runner = new Runner({ host, commands, report: () => undefined })
if (name === 'recover') {
  await (await runner.recover()).ended
  process.exit(0)
}
const outcome = await runner
  .start(name, COMMANDS[name].params.parse(JSON.parse(params)))
  .then((operation) => Array.fromAsync(operation.follow(0, new AbortController().signal)))
  .then((events) => events.at(-1))
  .catch((error: unknown) => ({ event: 'refused', data: { message: String(error) } }))
console.log(JSON.stringify({ outcome, steps, restics }))
process.exit(0)
