import { type ChildProcess, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { decodeBytes, encodeRequest } from '#agent/kernel/host/fastcgi.ts'

const START_MS = 20_000

/** Starts PHP-FPM for one helper, which kills it. Throws if it does not listen. */
export async function startFpm(
  program: string,
  [config, ...more]: [string, ...string[]],
  socket: string,
): Promise<ChildProcess> {
  const options = ['--nodaemonize', '--force-stderr', '--fpm-config', config, ...more]
  const fpm = spawn(program, options, { stdio: 'ignore' })
  try {
    await awaitSocket(fpm, socket)
    return fpm
  } catch (error) {
    fpm.kill('SIGKILL')
    throw error
  }
}

async function awaitSocket(fpm: ChildProcess, socket: string): Promise<void> {
  for (const end = Date.now() + START_MS; ; await setTimeout(20)) {
    if (await connects(socket)) return
    if (fpm.exitCode !== null) throw new Error('PHP-FPM ended at its start')
    if (Date.now() > end) throw new Error('PHP-FPM does not answer')
  }
}

const connects = (socket: string) =>
  new Promise<boolean>((resolve) => {
    const peer = connect(socket)
    peer.once('connect', () => resolve(peer.destroy() !== undefined))
    peer.once('error', () => resolve(false))
  })

interface FpmRequest {
  params: Record<string, string>
  content?: Uint8Array
}

/** Returns a CGI answer; undefined without one, and for one that does not end or is too large. */
export const requestFpm = (
  socket: string,
  { params, content }: FpmRequest,
  { timeout_ms, most }: { timeout_ms: number; most: number },
) =>
  new Promise<Buffer | undefined>((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const peer = connect(socket)
    const end = (answer: Buffer | undefined) => {
      clearTimeout(timer)
      peer.destroy()
      resolve(answer)
    }
    const timer = globalThis.setTimeout(() => end(undefined), timeout_ms)
    peer.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > most) end(undefined)
    })
    peer.once('error', () => end(undefined))
    peer.once('close', () => end(decodeBytes(Buffer.concat(chunks))))
    peer.write(encodeRequest(params, content))
  })
