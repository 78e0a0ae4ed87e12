import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { decodeAnswer, encodeRequest } from '#agent/host/fastcgi.ts'
import { pageOf } from '#agent/host/page-answer.ts'

const Request = z.object({
  program: z.string(),
  values: z.array(z.string()),
  prepend: z.string(),
  docroot: z.string(),
  host: z.string(),
  paths: z.array(z.string()).max(10),
})
type Request = z.infer<typeof Request>

const START_MS = 20_000
const PAGE_MS = 60_000
const MOST_BYTES = 16 << 20

/**
 * `hosting-agent pages`: starts PHP-FPM with the settings on standard input, asks it for pages, and
 * prints what the answers are like. Runs with the rights of a hidden site, and ends with it.
 */
export async function pages(): Promise<never> {
  const request = Request.parse(JSON.parse(await text(process.stdin)))
  const folder = mkdtempSync('/tmp/pages-')
  const socket = `${folder}/fpm.sock`
  writeFileSync(`${folder}/prepend.php`, request.prepend)
  writeFileSync(`${folder}/fpm.conf`, configOf(request, folder, socket))
  const options = ['--nodaemonize', '--force-stderr', '--fpm-config', `${folder}/fpm.conf`]
  const fpm = spawn(request.program, options, { stdio: 'ignore' })
  try {
    await started(fpm, socket)
    const answers = []
    for (const path of request.paths) {
      const answer = await ask(socket, paramsOf(request, path))
      answers.push({ path, ...pageOf(answer) })
    }
    console.log(JSON.stringify(answers))
  } finally {
    fpm.kill('SIGKILL')
  }
  process.exit(0)
}

const configOf = ({ values }: Request, folder: string, socket: string) =>
  [
    '[global]',
    'error_log = /dev/null',
    '[hidden]',
    `listen = ${socket}`,
    'pm = static',
    'pm.max_children = 1',
    'clear_env = yes',
    'env[PATH] = /usr/local/bin:/usr/bin:/bin',
    'security.limit_extensions = .php',
    ...values,
    `php_admin_value[auto_prepend_file] = ${folder}/prepend.php`,
    '',
  ].join('\n')

function paramsOf({ docroot, host }: Request, path: string): Record<string, string> {
  const [script = '/', query = ''] = path.split('?')
  const name = script.endsWith('.php') ? script : '/index.php'
  return {
    ...{ GATEWAY_INTERFACE: 'CGI/1.1', SERVER_PROTOCOL: 'HTTP/1.1', SERVER_SOFTWARE: 'nginx' },
    ...{ REQUEST_METHOD: 'GET', REQUEST_SCHEME: 'https', HTTPS: 'on', QUERY_STRING: query },
    ...{ REQUEST_URI: path, DOCUMENT_URI: name, SCRIPT_NAME: name, DOCUMENT_ROOT: docroot },
    ...{ SCRIPT_FILENAME: `${docroot}${name}`, HTTP_HOST: host, SERVER_NAME: host },
    ...{ SERVER_PORT: '443', SERVER_ADDR: '127.0.0.1', REMOTE_ADDR: '127.0.0.1' },
    ...{ REMOTE_PORT: '40000', REDIRECT_STATUS: '200', HTTP_ACCEPT: 'text/html,*/*' },
  }
}

async function started(fpm: ChildProcess, socket: string): Promise<void> {
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

/** The answer as CGI has it; undefined: none, or none that ends. */
const ask = (socket: string, params: Record<string, string>) =>
  new Promise<string | undefined>((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const peer = connect(socket)
    const end = (answer: string | undefined) => {
      clearTimeout(timer)
      peer.destroy()
      resolve(answer)
    }
    const timer = globalThis.setTimeout(() => end(undefined), PAGE_MS)
    peer.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > MOST_BYTES) end(undefined)
    })
    peer.once('error', () => end(undefined))
    peer.once('close', () => end(decodeAnswer(Buffer.concat(chunks))))
    peer.write(encodeRequest(params))
  })
