import type { Unknown } from '#shared/unknown-reasons.ts'

/** What a web server does with the pages of some names; `none`: they are elsewhere, or there are none. */
export type Kind = 'files' | 'proxy' | 'text' | 'closed' | 'none'

/** How PHP is run: at an address of FastCGI, by a module or program of a version, or not at all. */
export interface Php {
  /** `/run/php/shop.sock` or `127.0.0.1:9000`; empty where PHP is not asked by FastCGI. */
  address: string
  /** Of a module of the web server, or of the program that it starts itself. */
  version: string
}

/** One set of names as one server block has them, for whichever web server it stands. */
export interface VirtualHost {
  /** As they are written; empty: whatever no other one answers to. */
  names: readonly string[]
  /** Each `address:port`; an address is empty where it is any of the machine's. */
  listens: readonly Listen[]
  kind: Kind
  /** Absolute and without a slash at its end, empty where there is none or it is not known. */
  docroot: string
  php: Php
  /** Where a proxy asks: `127.0.0.1:8080` or the path of a socket. */
  proxy: string
  /** Path of the certificate, empty without TLS. */
  certificate: string
  tls: boolean
  /** The user that scripts run as, where the web server itself says so. */
  user: string
  /** Codes of the reasons, by the names of the fields. */
  unknown: Unknown
}

export interface Listen {
  address: string
  port: number
  tls: boolean
  /** Answers also to names that no server has. */
  default: boolean
  /** On every address of IPv6, and on none of IPv4. */
  only_ipv6?: true
}

export const NO_PHP: Php = { address: '', version: '' }

/** Only programs of this machine can connect to it. */
export const isLoopback = (address: string) =>
  /^(127\.\d+\.\d+\.\d+|\[?::1\]?|localhost)$/.test(address)

/** One form for each address of FastCGI, so that two that mean the same compare as equal. */
export function fastcgiAddress(written: string): string {
  if (/^(unix:|\/)/.test(written)) {
    const path = written.replace(/^unix:(\/\/)?/, '').replace(/:$/, '')
    return path.replace(/\/{2,}/g, '/').replace(/^\/var\/run\//, '/run/')
  }
  if (/^\d+$/.test(written)) return `127.0.0.1:${written}`
  const [, address = '', port = ''] = /^(.*):(\d+)$/.exec(written) ?? []
  if (port === '') return written
  return `${isLoopback(address) ? '127.0.0.1' : address}:${port}`
}
