import type { Tier } from './fields.ts'

/** A setting of php.ini that a site may have: its kind of value, and whether PHP may change it later. */
type PhpValue = (
  | { kind: 'switch' }
  | { kind: 'number'; least: number; most: number }
  | { kind: 'text'; rule: RegExp; words: string }
) & {
  /** True when only php.ini and PHP-FPM may set it: `PHP_INI_SYSTEM`. */
  system?: true
}

const number = (least: number, most: number): PhpValue => ({ kind: 'number', least, most })
const SWITCH: PhpValue = { kind: 'switch' }
const oneOf = (...words: string[]): PhpValue => ({
  kind: 'text',
  rule: new RegExp(`^(?:${words.join('|')})$`),
  words: `one of ${words.join(', ')}`,
})
const FUNCTIONS: PhpValue = {
  kind: 'text',
  rule: /^[a-z_][a-z0-9_]*(?:,[a-z_][a-z0-9_]*)*$/,
  system: true,
  words: 'names of functions, separated by commas',
}

/** The allow-list: none reaches a file or program, shows errors, or removes a limit. */
export const PHP_VALUES: Readonly<Record<string, PhpValue>> = {
  allow_url_fopen: { ...SWITCH, system: true },
  default_socket_timeout: number(1, 600),
  disable_functions: FUNCTIONS,
  error_reporting: number(0, 32_767),
  ignore_user_abort: SWITCH,
  max_file_uploads: { ...number(1, 200), system: true },
  max_input_nesting_level: number(16, 512),
  max_input_time: number(-1, 3600),
  'opcache.revalidate_freq': number(0, 60),
  output_buffering: number(0, 65_536),
  'pcre.backtrack_limit': number(100_000, 100_000_000),
  'pcre.jit': SWITCH,
  'pcre.recursion_limit': number(10_000, 10_000_000),
  precision: number(-1, 17),
  serialize_precision: number(-1, 17),
  'session.cookie_lifetime': number(0, 31_536_000),
  'session.cookie_samesite': oneOf('Lax', 'Strict', 'None'),
  'session.gc_maxlifetime': number(60, 2_592_000),
  short_open_tag: SWITCH,
  'zlib.output_compression': SWITCH,
}

/** Returns why a value is refused; undefined when it is accepted. */
export function phpValueProblem(name: string, value: string): string | undefined {
  const rule = Object.hasOwn(PHP_VALUES, name) ? PHP_VALUES[name] : undefined
  if (!rule) return `${name} cannot be set: one of ${Object.keys(PHP_VALUES).join(', ')} can`
  return accepts(rule, value) ? undefined : `${name} must be ${wordsOf(rule)}`
}

function accepts(rule: PhpValue, value: string): boolean {
  if (value.length > 500) return false
  if (rule.kind === 'switch') return value === 'on' || value === 'off'
  if (rule.kind === 'text') return rule.rule.test(value)
  return /^-?\d{1,9}$/.test(value) && Number(value) >= rule.least && Number(value) <= rule.most
}

function wordsOf(rule: PhpValue): string {
  if (rule.kind === 'switch') return 'on or off'
  if (rule.kind === 'text') return rule.words
  return `a whole number between ${rule.least} and ${rule.most}`
}

/** The limit of each request by the tier without a setting, and the maximum of a setting. */
interface LimitRange {
  usual: number
  most: number
}

export interface PhpRanges {
  /** The limit in MB. */
  memory_limit: LimitRange
  /** The limit of one upload in MB. */
  upload: LimitRange
  /** The limit in seconds. */
  execution_time: LimitRange
  input_vars: LimitRange
}

const range = (usual: number, most: number): LimitRange => ({ usual, most })

export const PHP_RANGES: Readonly<Record<Tier, PhpRanges>> = {
  small: {
    memory_limit: range(128, 256),
    upload: range(32, 256),
    execution_time: range(60, 300),
    input_vars: range(2000, 10_000),
  },
  medium: {
    memory_limit: range(256, 512),
    upload: range(64, 1024),
    execution_time: range(120, 600),
    input_vars: range(3000, 20_000),
  },
  large: {
    memory_limit: range(512, 1024),
    upload: range(128, 2048),
    execution_time: range(300, 1800),
    input_vars: range(5000, 50_000),
  },
}

export const PHP_LIMITS = ['memory_limit', 'upload', 'execution_time', 'input_vars'] as const
export type PhpLimit = (typeof PHP_LIMITS)[number]
