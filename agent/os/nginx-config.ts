import type { Host } from '../host/ports.ts'

/** `listen 443 ssl;` has two arguments; `server { … }` has a block. */
export interface Directive {
  name: string
  args: readonly string[]
  block: readonly Directive[] | undefined
}

const FOLDER = '/etc/nginx'
const MAX_INCLUDES = 100_000
const MAX_DEPTH = 16
const MAX_NESTING = 100

interface Reading {
  host: Host
  /** Parsed files by path: a snippet that every site includes is read once. */
  files: Map<string, Promise<readonly Directive[]>>
  left: number
}

/**
 * The configuration that nginx.conf and its includes make, as one tree; where there is no nginx.conf,
 * conf.d/*.conf and sites-enabled/*. Includes outside /etc/nginx are left out, and so is what goes
 * beyond 100 000 includes or 16 levels.
 */
export async function readNginxConfig(host: Host): Promise<readonly Directive[]> {
  const reading: Reading = { host, files: new Map(), left: MAX_INCLUDES }
  const main = await included(reading, 'nginx.conf', [])
  if (main.length > 0) return main
  const folders = ['conf.d/*.conf', 'sites-enabled/*']
  return (await Promise.all(folders.map((glob) => included(reading, glob, [])))).flat()
}

/** Puts the included files in place of each `include`. `chain` are the files that lead here. */
async function resolved(
  reading: Reading,
  directives: readonly Directive[],
  chain: readonly string[],
): Promise<readonly Directive[]> {
  const parts = await Promise.all(
    directives.map((directive) => {
      const { name, args, block } = directive
      if (name === 'include') return included(reading, args[0] ?? '', chain)
      if (!block) return [directive]
      return resolved(reading, block, chain).then((inner) => [{ name, args, block: inner }])
    }),
  )
  return parts.flat()
}

/** A path or a pattern with one `*` in its last part, relative to /etc/nginx. */
async function included(reading: Reading, pattern: string, chain: readonly string[]) {
  const path = pattern.startsWith('/') ? pattern : `${FOLDER}/${pattern}`
  const inside = path.startsWith(`${FOLDER}/`) && !path.split('/').includes('..')
  if (!inside || chain.length > MAX_DEPTH) return []
  const paths = path.includes('*') ? await matching(reading.host, path) : [path]
  const parts = await Promise.all(
    paths.map(async (file) => {
      if (chain.includes(file) || reading.left-- <= 0) return []
      return resolved(reading, await parsed(reading, file), [...chain, file])
    }),
  )
  return parts.flat()
}

/** A file that cannot be read is an empty one: nginx itself says what is wrong with it. */
function parsed({ host, files }: Reading, path: string): Promise<readonly Directive[]> {
  const known = files.get(path)
  if (known) return known
  const reading = host.files.read(path).then(
    (text) => parseNginx(text ?? ''),
    () => [],
  )
  files.set(path, reading)
  return reading
}

async function matching(host: Host, pattern: string): Promise<string[]> {
  const slash = pattern.lastIndexOf('/')
  const folder = pattern.slice(0, slash)
  const [start = '', ...rest] = pattern.slice(slash + 1).split('*')
  const end = rest.at(-1) ?? ''
  if (folder.includes('*') || rest.length > 1) return []
  return (await host.files.list(folder))
    .map(({ name }) => name)
    .filter((name) => name.startsWith(start) && name.endsWith(end) && !name.startsWith('.'))
    .filter((name) => name.length >= start.length + end.length)
    .sort()
    .map((name) => `${folder}/${name}`)
}

const TOKEN =
  /\s+|#[^\n]*|[{};]|"((?:[^"\\]|\\[\s\S])*)"?|'((?:[^'\\]|\\[\s\S])*)'?|(?:\$\{\w*\}|[^\s{};\\]|\\[\s\S])+|\\/g

/** Splits and nests one file, as ngx_conf_read_token() does; what is not closed ends with the file. */
export function parseNginx(text: string): Directive[] {
  const root: Directive[] = []
  const stack = [root]
  let words: string[] = []
  for (const [token, double, single] of text.matchAll(TOKEN)) {
    if (/^[\s#]/.test(token)) continue
    if (!/^[{};]$/.test(token)) {
      words.push(unescaped(double ?? single ?? token))
      continue
    }
    end(stack, token, words)
    words = []
  }
  return root
}

/** Ends a directive with `;`, opens its block with `{`, or closes the block around it with `}`. */
function end(stack: Directive[][], sign: string, [name, ...args]: readonly string[]): void {
  if (sign === '}') {
    if (stack.length > 1) stack.pop()
    return
  }
  const block: Directive[] | undefined = sign === '{' ? [] : undefined
  if (name !== undefined && stack.length < MAX_NESTING) stack.at(-1)?.push({ name, args, block })
  if (block) stack.push(block)
}

/** `\"`, `\'`, `\\`, `\t`, `\r`, `\n`; before anything else a backslash stays (for expressions). */
function unescaped(word: string): string {
  if (!word.includes('\\')) return word
  return word.replace(/\\(["'\\trn])/g, (_, letter: string) => ESCAPES[letter] ?? letter)
}

const ESCAPES: Record<string, string> = { t: '\t', r: '\r', n: '\n' }
