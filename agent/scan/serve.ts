import process from 'node:process'
import { createInterface } from 'node:readline'
import { MARIADB_SOCKET, type ScanLine, ScanRequest } from '#agent/host/scan-lines.ts'
import type { SiteReader } from '#agent/host/scanner-port.ts'
import { machineAccess } from './access.ts'
import { scannerOn } from './answer.ts'
import { becomeNobodyForGood } from './identity.ts'

/**
 * `hosting-agent scan [socket]`: reads sites for the agent, one request a line, until its standard
 * input ends. The files of one site at a time are read, with the rights of that site; the databases
 * answer at their own pace.
 */
export async function scan([socket = MARIADB_SOCKET]: readonly string[]): Promise<void> {
  becomeNobodyForGood()
  const scanner = scannerOn(machineAccess(socket))
  let turn: Promise<void> = Promise.resolve()
  for await (const line of createInterface({ input: process.stdin })) {
    const request = ScanRequest.parse(JSON.parse(line))
    turn = turn.then(nextTurn).then(() => {
      say({ id: request.id, reading: true })
      // It has read the files when it returns.
      void answer(scanner, request)
    })
  }
  process.exit(0)
}

/** Who waits for a database for longer than this says that it has read the files. */
const QUICK_MS = 200

/** Lets the answers of databases in between the files of two sites. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function answer(scanner: SiteReader, request: ScanRequest): Promise<void> {
  const { id, kind, site, facts } = request
  const timer = setTimeout(() => say({ id, reading: false }), QUICK_MS)
  try {
    const { answer: found, ...more } = await scanner[kind](site, facts)
    say({ id, result: { ...more, answer: found ?? null } })
  } catch (error) {
    say({ id, error: error instanceof Error ? error.message : String(error) })
  } finally {
    clearTimeout(timer)
  }
}

function say(line: ScanLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
