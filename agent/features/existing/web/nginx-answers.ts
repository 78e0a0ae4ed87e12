import { expression } from './expression.ts'
import type { Block } from './nginx-config.ts'
import { evaluate, type NginxVariables } from './nginx-variables.ts'

export type OwnAnswer = 'redirect' | 'closed' | 'text' | undefined

/** The path of any page but the first: rules for `/` alone do not describe the site. */
export const ANY_PAGE = '/some/page-of-the-site/'

/** Returns the own answer of a block to any page: `return`, `rewrite`, `if` around them. */
export function answerOf(block: Block, variables: NginxVariables): OwnAnswer {
  for (const { name, args, block: inner } of block) {
    if (name === 'return') return returned(args)
    if (name === 'rewrite' && isRedirect(args)) return 'redirect'
    const answer = name === 'if' && inner && holds(args, variables) && answerOf(inner, variables)
    if (answer) return answer
  }
  return undefined
}

function returned([first = '', ...rest]: readonly string[]): OwnAnswer {
  if (!/^\d+$/.test(first)) return 'redirect'
  const code = Number(first)
  if (code >= 400) return 'closed'
  if (code >= 300) return code === 304 || rest.length === 0 ? 'closed' : 'redirect'
  return 'text'
}

/** Follows ngx_http_rewrite_module: a redirect has a flag, or an address as replacement. */
function isRedirect([pattern = '', replacement = '', flag = '']: readonly string[]): boolean {
  const leaves = /^(https?:\/\/|\$scheme)/.test(replacement)
  if (!leaves && !['permanent', 'redirect'].includes(flag)) return false
  return expression(pattern, false)?.matches(ANY_PAGE) ?? false
}

/** Evaluates the condition of an `if`; false if it is uncertain. */
function holds(args: readonly string[], variables: NginxVariables): boolean {
  const words = args.join(' ').replace(/^\(\s*|\s*\)$/g, '')
  const [, variable = '', sign = '', written = ''] =
    /^(\$\{?\w+\}?)\s*(!?~\*?|!?=)\s*(.*)$/s.exec(words) ?? []
  const left = variable === '' ? undefined : known(variable, variables)
  if (left === undefined) return false
  const right = written.replace(/^(["'])(.*)\1$/s, '$2')
  const negated = sign.startsWith('!')
  if (sign.includes('~')) {
    const pattern = expression(right, sign.endsWith('*'))
    return pattern !== undefined && pattern.matches(left) !== negated
  }
  return (left === evaluate(right, variables)) !== negated
}

function known(variable: string, variables: NginxVariables): string | undefined {
  const { tls } = variables
  if (variable === '$server_port') return tls ? '443' : '80'
  if (variable === '$ssl_protocol' && !tls) return ''
  if (variable === '$request_method') return 'GET'
  return evaluate(variable, variables)
}

/** Returns whether the block has `deny all` without any `allow`. */
export function deniesAll(block: Block): boolean {
  const denies = block.some(({ name, args }) => name === 'deny' && args[0] === 'all')
  const opens = block.some(({ name }) => name === 'allow' || name === 'satisfy')
  return denies && !opens
}
