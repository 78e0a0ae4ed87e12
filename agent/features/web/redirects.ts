import { logsOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { nginx } from '#shared/kernel/formats/nginx.ts'
import type { FormattedText } from '#shared/kernel/formats/template.ts'
import { isCovered } from '#shared/kernel/names.ts'
import { type Redirect, redirectsOf, servedNamesOf } from '#shared/kernel/site-names.ts'
import { type Abilities, ACME_LOCATION, renderListen, TLS_SETTINGS } from './base.ts'
import { renderVisitor } from './visitor.ts'
import { VISITOR_LIMITS } from './visitor-limits.ts'

/** The paths of PEM files, and whether the certificate is self-signed. */
export interface Certificate {
  fullchain: string
  privkey: string
  self_signed: boolean
  /** The names that it is valid for; undefined for all names of the site. */
  names?: readonly string[]
}

interface RequestedRedirects {
  site: Site
  abilities: Abilities
  certificate: Certificate | undefined
  networks?: readonly string[]
}

/** A server that redirects these names. */
interface RedirectServer {
  names: readonly string[]
  status: number
  /** The argument of nginx's `return`. */
  to: FormattedText
  tls: boolean
}

/** Returns the names that are served with https; others lack a valid certificate. */
export const securedNames = (site: Site, certificate: Certificate): string[] =>
  servedNamesOf(site).filter((name) => name === site.domain || isIn(certificate, name))

const isIn = ({ names }: Certificate, name: string) =>
  names?.some((written) => isCovered(name, written)) ?? true

/** Renders the servers that redirect, except that of http to https. */
export function renderRedirects(requested: RequestedRedirects): string {
  const { site, certificate } = requested
  const scheme = certificate ? 'https' : 'http'
  const groups = groupByTarget(redirectsOf(site)).map(({ names, first }) => ({
    names,
    status: first.status,
    tls: true,
    to: targetOf(first, `${scheme}://${site.domain}`),
  }))
  const open = certificate && unsecuredServer(site, certificate)
  return [...groups, ...(open ? [open] : [])]
    .map((answering) => renderServer(answering, requested))
    .join('')
}

/** Redirects other names to the primary domain until they have a certificate. */
function unsecuredServer(site: Site, certificate: Certificate): RedirectServer | undefined {
  const secured = new Set(securedNames(site, certificate))
  const names = servedNamesOf(site).filter((name) => !secured.has(name))
  if (names.length === 0) return undefined
  return { names, status: 302, to: nginx.part`https://${site.domain}$request_uri`, tls: false }
}

function targetOf({ to, keep_path }: Redirect, primary: string): FormattedText {
  const base = to ?? primary
  if (keep_path) return nginx.part`${base.replace(/\/$/, '')}$request_uri`
  return nginx.part`${to ?? `${primary}/`}`
}

/** Groups names that are redirected in the same way for one server. */
function groupByTarget(redirects: readonly Redirect[]): { names: string[]; first: Redirect }[] {
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
  { names, status, to, tls }: RedirectServer,
  { site, abilities, certificate, networks }: RequestedRedirects,
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
