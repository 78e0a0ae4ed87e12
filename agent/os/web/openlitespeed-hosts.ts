import type { Host } from '#agent/host/ports.ts'
import type { Process } from '#agent/os/processes/processes.ts'
import { type Listen, NO_PHP, type VirtualHost } from './virtual-host.ts'

const ROOT = '/usr/local/lsws'
const MAIN = `${ROOT}/conf/httpd_config.conf`

interface Section {
  name: string
  value: string
  inner: readonly Section[]
}

export const isLiteSpeed = ({ line, root }: Process) =>
  root && /^(\S*\/)?(open)?litespeed\b/.test(line)

/** OpenLiteSpeed's handling of every name that its listeners map to a virtual host. */
export async function readOpenLiteSpeed({ files }: Host): Promise<VirtualHost[]> {
  const main = parseSections((await files.read(MAIN)) ?? '')
  const found: VirtualHost[] = []
  for (const host of main.filter(({ name }) => name === 'virtualhost')) {
    const variables = { root: valueIn(host.inner, 'vhRoot').replace(/\/$/, ''), name: host.value }
    const path = replaced(valueIn(host.inner, 'configFile'), variables)
    const own = parseSections((await files.read(absolute(path, ROOT))) ?? '')
    const served = hostOf(variables, own, main)
    if (served) found.push(served)
  }
  return found
}

interface Variables {
  root: string
  name: string
}

function hostOf(variables: Variables, own: readonly Section[], main: readonly Section[]) {
  const listeners = main.filter(({ name }) => name === 'listener')
  const mapped = listeners.flatMap((listener) =>
    listener.inner
      .filter(({ name, value }) => name === 'map' && value.split(/\s+/)[0] === variables.name)
      .map(({ value }) => ({ listener, names: value.split(/[\s,]+/).slice(1) })),
  )
  if (mapped.length === 0) return undefined
  const listens = mapped.map(({ listener }) => listenOf(listener))
  const names = [...new Set(mapped.flatMap(({ names: each }) => each))]
  const files = [...own, ...mapped.map(({ listener }) => listener).flatMap(({ inner }) => inner)]
  const tls = listens.some((listen) => listen.tls)
  const root = absolute(replaced(valueIn(own, 'docRoot'), variables), `${variables.root}/`)
  const isAny = names.includes('*')
  return {
    names: names.map((name) => (name === '*' ? '' : name)),
    listens: listens.map((listen) => ({ ...listen, default: isAny })),
    kind: root === '' ? ('none' as const) : ('files' as const),
    docroot: root.replace(/(?<=.)\/+$/, ''),
    php: { ...NO_PHP, version: phpIn([...own, ...main]) },
    proxy: '',
    certificate: tls
      ? valueIn(insideOf(files, 'vhssl'), 'certFile') || valueIn(files, 'certFile')
      : '',
    tls,
    user: valueIn(insideOf(own, 'extprocessor'), 'extUser'),
    unknown: {},
  }
}

const insideOf = (sections: readonly Section[], section: string) =>
  sections.filter(({ name }) => name === section).flatMap(({ inner }) => inner)

function listenOf({ inner }: Section): Listen {
  const [, address = '', port = '80'] = /^(.*):(\d+)$/.exec(valueIn(inner, 'address')) ?? []
  const isAny = ['*', '[ANY]', '0.0.0.0'].includes(address)
  const tls = valueIn(inner, 'secure') === '1'
  return { address: isAny ? '' : address, port: Number(port), tls, default: false }
}

/** The PHP version of the script handler, from the folder of its program. */
function phpIn(sections: readonly Section[]): string {
  const added = insideOf(sections, 'scripthandler').find(
    ({ name, value }) => name === 'add' && /\sphp\b/.test(value),
  )
  const processor = /^lsapi:(\S+)/.exec(added?.value ?? '')?.[1]
  const program = sections.find(({ name, value }) => name === 'extprocessor' && value === processor)
  const path = valueIn(program?.inner ?? [], 'path')
  const [, major, minor] = /(?:^|\/)lsphp(\d)(\d{1,2})\/bin\/lsphp$/.exec(path) ?? []
  return major === undefined ? '' : `${major}.${minor}`
}

function replaced(text: string, { root, name }: Variables): string {
  return text
    .replaceAll('$SERVER_ROOT', ROOT)
    .replaceAll('$VH_ROOT', absolute(root, ROOT))
    .replaceAll('$VH_NAME', name)
}

const absolute = (path: string, folder: string) =>
  path === '' || path.startsWith('/') ? path : `${folder.replace(/\/$/, '')}/${path}`

function valueIn(sections: readonly Section[], option: string): string {
  return sections.find(({ name }) => name === option)?.value ?? ''
}

/** A line is a name and a value; one that ends with `{` has lines up to `}`. */
function parseSections(text: string): Section[] {
  const root: Section[] = []
  const stack = [root]
  for (const written of text.split('\n')) {
    const line = written.trim()
    if (line === '}' && stack.length > 1) stack.pop()
    if (line === '' || line.startsWith('#') || line === '}') continue
    const [, name = '', value = '', brace] = /^(\S+)\s*(.*?)\s*(\{)?$/.exec(line) ?? []
    const inner: Section[] = []
    stack.at(-1)?.push({ name, value, inner })
    if (brace) stack.push(inner)
  }
  return root
}
