import { logsOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { nginx } from '#shared/kernel/formats/nginx.ts'
import type { Written } from '#shared/kernel/formats/template.ts'
import { isCovered } from '#shared/kernel/names.ts'
import { type Redirect, redirectsOf, servedNamesOf } from '#shared/kernel/site-names.ts'
import { type Abilities, ACME_LOCATION, renderListen, TLS_SETTINGS } from './base.ts'
import { renderVisitor } from './visitor.ts'
import { VISITOR_LIMITS } from './visitor-limits.ts'

/** Paths of PEM files, and whether browsers trust no authority of them. */
export interface Certificate {
  fullchain: string
  privkey: string
  self_signed: boolean
  /** The names that it is valid for; undefined: all names of the site. */
  names?: readonly string[]
}

interface Requested {
  site: Site
  abilities: Abilities
  certificate: Certificate | undefined
  networks?: readonly string[]
}

/** A server that answers these names with a redirect. */
interface Answering {
  names: readonly string[]
  status: number
  /** As an argument of nginx's `return`. */
  to: Written
  tls: boolean
}

/** The names that are served with https: a browser would refuse the certificate for the others. */
export const securedNames = (site: Site, certificate: Certificate): string[] =>
  servedNamesOf(site).filter((name) => name === site.domain || isIn(certificate, name))

const isIn = ({ names }: Certificate, name: string) =>
  names?.some((written) => isCovered(name, written)) ?? true

/** The servers that redirect, apart from that of http to https. */
export function renderRedirects(requested: Requested): string {
  const { site, certificate } = requested
  const scheme = certificate ? 'https' : 'http'
  const groups = grouped(redirectsOf(site)).map(({ names, first }) => ({
    ...{ names, status: first.status, tls: true },
    to: targetOf(first, `${scheme}://${site.domain}`),
  }))
  const open = certificate && unsecured(site, certificate)
  return [...groups, ...(open ? [open] : [])]
    .map((answering) => renderServer(answering, requested))
    .join('')
}

/** Until they have a certificate, other names redirect to the primary domain. */
function unsecured(site: Site, certificate: Certificate): Answering | undefined {
  const secured = new Set(securedNames(site, certificate))
  const names = servedNamesOf(site).filter((name) => !secured.has(name))
  if (names.length === 0) return undefined
  return { names, status: 302, to: nginx.part`https://${site.domain}$request_uri`, tls: false }
}

function targetOf({ to, keep_path }: Redirect, primary: string): Written {
  const base = to ?? primary
  if (keep_path) return nginx.part`${base.replace(/\/$/, '')}$request_uri`
  return nginx.part`${to ?? `${primary}/`}`
}

/** One server for all names that are redirected in the same way. */
function grouped(redirects: readonly Redirect[]): { names: string[]; first: Redirect }[] {
  const groups = new Map<string, { names: string[]; first: Redirect }>()
  for (const redirect of redirects) {
    const key = `${redirect.status} ${redirect.keep_path} ${redirect.to ?? ''}`
    const known = groups.get(key)
    if (known) known.names.push(redirect.domain)
    else groups.set(key, { names: [redirect.domain], first: redirect })
  }
  return [...groups.values()]
}

function renderServer(
  { names, status, to, tls }: Answering,
  { site, abilities, certificate, networks }: Requested,
): string {
  const secure =
    tls && certificate
      ? nginx`${renderListen(443, abilities)}
    ssl_certificate ${certificate.fullchain};
    ssl_certificate_key ${certificate.privkey};
${TLS_SETTINGS}
`
      : ''
  return nginx`
server {
${renderListen(80, abilities)}
${secure}    server_name ${names};
    server_tokens off;
${VISITOR_LIMITS}${renderVisitor(site, networks)}    access_log ${logsOf(site.user)}/access.log hosting;
    error_log ${logsOf(site.user)}/error.log;

${ACME_LOCATION}
    location / {
        return ${status} ${to};
    }
}
`
}
