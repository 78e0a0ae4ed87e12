import process from 'node:process'
import { createInterface } from 'node:readline'
import { MARIADB_SOCKET, type ScanLine, ScanRequest } from '#agent/kernel/host/scan-lines.ts'
import type { SiteReader } from '#agent/kernel/host/scanner-port.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { machineAccess } from './access.ts'
import { scannerOn } from './answer.ts'
import { dropToNobody } from './identity.ts'

/**
 * `hosting-agent scan [socket]`: reads sites for the agent, one request per line, until the end of
 * its standard input. It reads the files of one site at a time, with the rights of that site;
 * queries of databases run in parallel.
 */
export async function scan([socket = MARIADB_SOCKET]: readonly string[]): Promise<void> {
  dropToNobody()
  const scanner = scannerOn(machineAccess(socket))
  let turn: Promise<void> = Promise.resolve()
  for await (const line of createInterface({ input: process.stdin })) {
    const request = ScanRequest.parse(JSON.parse(line))
    turn = turn.then(nextTurn).then(() => {
      send({ id: request.id, reading: true })
      // All files are read when this returns.
      void answer(scanner, request)
    })
  }
  process.exit(0)
}

/** The time of waiting for a database after which it reports that the files are read. */
const FILES_READ_MS = 200

/** Waits until answers of databases between the files of two sites are processed. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function answer(scanner: SiteReader, request: ScanRequest): Promise<void> {
  const { id, kind, site, facts } = request
  const timer = setTimeout(() => send({ id, reading: false }), FILES_READ_MS)
  try {
    const { answer: found, ...more } = await scanner[kind](site, facts)
    send({ id, result: { ...more, answer: found ?? null } })
  } catch (error) {
    send({ id, error: messageOf(error) })
  } finally {
    clearTimeout(timer)
  }
}

function send(line: ScanLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
