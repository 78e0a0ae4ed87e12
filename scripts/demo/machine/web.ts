import type { Probe } from '#agent/host/ports.ts'
import type { Visit, Visited } from '#agent/host/visit-port.ts'
import { ACME_ROOT } from '#agent/os/nginx/base.ts'
import { isCanary } from '#agent/os/site/canary.ts'
import { apexOf } from '#shared/names.ts'
import { canaryAnswer } from './canary.ts'
import type { Machine } from './machine.ts'

type Answer = { status: number; body: string; headers: Record<string, string> }

const answer = (status: number, body = ''): Answer => ({ status, body, headers: {} })

type Request = Pick<Probe, 'host' | 'path'>

/** A visitor's answer: nginx must know the site, PHP must run, and WordPress needs its tables. */
export function answerOf(machine: Machine, request: Request): Answer {
  const { host, path } = request
  const vhost = vhostOf(machine, host)
  if (vhost === undefined) return answer(isForeign(machine, host) ? 200 : 404)
  if (!path.startsWith('/.well-known/acme-challenge/')) return answerOfPhp(machine, vhost, request)
  const token = machine.disk.text(ACME_ROOT + path)
  return token === undefined ? answer(404) : answer(200, token)
}

function answerOfPhp(machine: Machine, vhost: string, { host, path }: Request): Answer {
  const [, socket = ''] = /unix:([^;\s]+\.sock)/.exec(vhost) ?? []
  const [, user = ''] = /^\s*root \/srv\/www\/([^/]+)\/public;/m.exec(vhost) ?? []
  if (!machine.disk.find(socket)) return answer(502, '<h1>502 Bad Gateway</h1>')
  const database = machine.databases.get(user)
  if (!database?.kit || database.broken)
    return answer(500, 'Error establishing a database connection')
  const [script, query] = path.split('?')
  if (script !== '/isolation.php' || !isCanary(host)) return answer(200, `<a href="//${host}/">`)
  return answer(200, canaryAnswer(machine, user, new URLSearchParams(query).get('do')))
}

/** An uncached visit: a PHP that is slow elsewhere is not slow here. */
export function visited(machine: Machine, visit: Visit): Visited {
  return { ...answerOf(machine, visit), headers: {}, ms: 80 }
}

/** A manually created site: it never breaks here. */
const isForeign = ({ disk }: Machine, host: string) =>
  disk.text(`/etc/nginx/sites-enabled/${host}.conf`) !== undefined

function vhostOf({ disk }: Machine, host: string): string | undefined {
  const apex = apexOf(host)
  for (const name of [apex, `www.${apex}`]) {
    const text = disk.text(`/etc/nginx/sites-enabled/hosting-${name}.conf`)
    if (text !== undefined) return text
  }
  return undefined
}
