import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Certificate } from './certificate.ts'
import type { Machine } from './machine.ts'
import type { Settings } from './options.ts'
import { CADDY } from './paths.ts'
import { ProxyService } from './proxy-service.ts'

/** Caddy obtains and renews certificates itself, unless files are given. */
export function renderCaddy(settings: Settings, certificate: Certificate | undefined): string {
  const { domain, port } = settings
  return `# Written by scripts/install-dashboard.sh, which replaces it.
${domain} {
${tlsOf(settings, certificate)}	request_body {
		max_size 2MB
	}
	reverse_proxy 127.0.0.1:${port} {
		# The last entry counts, and what a client sent is not one.
		header_up X-Forwarded-For {remote_host}
		flush_interval -1
	}
}
`
}

function tlsOf(settings: Settings, certificate: Certificate | undefined): string {
  const { acme_directory, email, tls } = settings
  if (tls === 'self-signed') return '\ttls internal\n'
  if (certificate) return `\ttls ${certificate.certificate} ${certificate.key}\n`
  const directory = acme_directory === '' ? [] : [`dir ${acme_directory}`]
  const contact = email === '' ? [] : [`email ${email}`]
  const lines = [...directory, ...contact].map((line) => `\t\t\t${line}\n`).join('')
  return lines === '' ? '' : `\ttls {\n\t\tissuer acme {\n${lines}\t\t}\n\t}\n`
}

const IMPORT = `import ${CADDY.site}`

export async function serveByCaddy(
  machine: Machine,
  settings: Settings,
  certificate: Certificate | undefined,
): Promise<void> {
  const service = serviceOf(machine)
  await service.undo()
  const before = await readFile(CADDY.main, 'utf8').catch(() => '')
  const isNew = await machine.put(CADDY.site, renderCaddy(settings, certificate))
  if (!before.split('\n').includes(IMPORT))
    await machine.put(CADDY.main, `${before.trimEnd()}\n\n${IMPORT}\n`.trimStart())
  if (isNew) machine.log('Configuring Caddy')
  await service.start()
}

export async function removeFromCaddy(machine: Machine): Promise<void> {
  if (!existsSync(CADDY.site)) return
  const service = serviceOf(machine)
  await service.undo()
  const before = await readFile(CADDY.main, 'utf8').catch(() => '')
  await machine.put(CADDY.main, before.replace(`\n\n${IMPORT}\n`, '\n').replace(`${IMPORT}\n`, ''))
  await machine.remove(CADDY.site)
  await service.reload()
}

const TEST = ['caddy', 'validate', '--adapter', 'caddyfile', '--config', CADDY.main]

const serviceOf = (machine: Machine) => new ProxyService(machine, 'caddy', TEST)
