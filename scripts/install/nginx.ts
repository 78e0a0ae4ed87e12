import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { TLS_CIPHERS } from '#shared/domains/tls-ciphers.ts'
import { nginx } from '#shared/kernel/formats/nginx.ts'
import type { Certificate } from './certificate.ts'
import type { Machine } from './machine.ts'
import type { Settings } from './options.ts'
import { CHALLENGES, NGINX } from './paths.ts'
import { ProxyService } from './proxy-service.ts'

interface Abilities {
  /** Since 1.25.1 a directive, previously a parameter of `listen`. */
  http2: 'directive' | 'listen'
  ipv6: boolean
}

/** Renders the site; without a certificate, the part that the authority needs to issue one. */
export function renderNginx(
  { domain, port }: Settings,
  certificate: Certificate | undefined,
  { http2, ipv6 }: Abilities,
): string {
  const listen = (where: string) =>
    [where, ...(ipv6 ? [`[::]:${where}`] : [])].map((each) => `    listen ${each};`).join('\n')
  const secure = http2 === 'listen' ? '443 ssl http2' : '443 ssl'
  return nginx`${ABOUT}
server {
${listen('80')}
    server_name ${domain};
    server_tokens off;
    location ^~ /.well-known/acme-challenge/ {
        root ${CHALLENGES};
        default_type text/plain;
    }
    location / {
        return ${certificate ? nginx.part`301 https://${domain}$request_uri` : '503'};
    }
}
${certificate ? secureServer({ domain, port }, certificate, listen(secure), http2) : ''}`
}

const ABOUT =
  '# Written by scripts/install-dashboard.sh, which replaces it: put your own sites in other files.'

function secureServer(
  { domain, port }: Pick<Settings, 'domain' | 'port'>,
  { certificate, key }: Certificate,
  listen: string,
  http2: Abilities['http2'],
): string {
  return nginx`
limit_conn_zone $binary_remote_addr zone=hosting_control_connections:10m;
limit_req_zone $binary_remote_addr zone=hosting_control_requests:10m rate=50r/s;

server {
${listen}
${http2 === 'directive' ? '    http2 on;\n' : ''}    server_name ${domain};

    ssl_certificate ${certificate};
    ssl_certificate_key ${key};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ${TLS_CIPHERS};
    ssl_prefer_server_ciphers off;
    ssl_session_cache shared:hosting_control:5m;
    ssl_session_timeout 1d;
    ssl_session_tickets off;

    access_log /var/log/nginx/hosting-control.access.log;
    error_log /var/log/nginx/hosting-control.error.log;
    server_tokens off;
    client_max_body_size 2m;
    limit_conn hosting_control_connections 100;
    limit_req zone=hosting_control_requests burst=300 nodelay;
    limit_conn_status 429;
    limit_req_status 429;

    # Without another server on port 443, nginx answers for all names here.
    if ($host != ${domain}) {
        return 421;
    }

    location / {
        proxy_pass http://127.0.0.1:${port};
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        # The last entry counts, and what a client sent is not one.
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto https;
        proxy_connect_timeout 5s;
        # Events go out as they come; a quiet stream has a comment every ten seconds.
        proxy_buffering off;
        proxy_read_timeout 90s;
    }
}
`
}

/** Installs the site and reloads nginx; restores the previous file if nginx refuses it. */
export async function serveByNginx(
  machine: Machine,
  settings: Settings,
  certificate: Certificate | undefined,
): Promise<void> {
  const service = serviceOf(machine)
  await service.undo()
  await machine.folder(CHALLENGES)
  const text = renderNginx(settings, certificate, await abilities(machine))
  const isNew = await machine.put(NGINX.site, text)
  await machine.link(NGINX.link, NGINX.site)
  if (isNew) machine.log('Configuring nginx')
  await service.start()
}

export async function removeFromNginx(machine: Machine): Promise<void> {
  if (!existsSync(NGINX.site) && !existsSync(NGINX.link)) return
  const service = serviceOf(machine)
  await service.undo()
  await machine.link(NGINX.link, undefined)
  await machine.remove(NGINX.site)
  await service.reload()
}

/** Returns the conflict with another site of this nginx; undefined for none. */
export async function claimedInNginx(
  machine: Machine,
  domain: string,
): Promise<string | undefined> {
  if (!existsSync('/usr/sbin/nginx')) return undefined
  const { status, stdout, message } = await machine.attempt(['nginx', '-T'], { reads: true })
  if (status !== 0) return `nginx refuses its configuration as it is: ${message}`
  return otherFileWith(stdout, domain)
}

/** Splits the output of `nginx -T`: each file after a line with its name. */
export function otherFileWith(configuration: string, domain: string): string | undefined {
  const files = configuration.split(/^# configuration file /m).slice(1)
  for (const file of files) {
    const path = file.slice(0, file.indexOf(':\n'))
    if (path === NGINX.site || path === NGINX.link) continue
    const names = [...file.matchAll(/^\s*server_name\s+([^;]*);/gm)].map(([, each]) => each ?? '')
    if (names.join(' ').split(/\s+/).includes(domain)) return `${path} serves ${domain} already`
  }
  return undefined
}

async function abilities(machine: Machine): Promise<Abilities> {
  const version = machine.attempt(['/usr/sbin/nginx', '-v'], { reads: true })
  const { message } = await version.catch(() => ({ message: '' }))
  const [, minor = 0, patch = 0] = /nginx\/1\.(\d+)\.(\d+)/.exec(message)?.map(Number) ?? []
  const isNew = minor > 25 || (minor === 25 && patch >= 1)
  const interfaces = await readFile('/proc/net/if_inet6', 'utf8').catch(() => '')
  return { http2: isNew ? 'directive' : 'listen', ipv6: interfaces.trim() !== '' }
}

const serviceOf = (machine: Machine) => new ProxyService(machine, 'nginx', ['nginx', '-t', '-q'])
