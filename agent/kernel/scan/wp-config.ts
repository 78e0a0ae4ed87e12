import { WP_CONSTANTS } from '#agent/kernel/host/wp-settings.ts'
import { constantValue, type PhpLiteral } from './php-constant.ts'
import { isSign, isStructured, isWord, statements } from './php-statements.ts'
import { type PhpToken, phpTokens } from './php-tokens.ts'

/** The settings of a WordPress. A constant that is in neither set is not defined. */
export interface WpConfig {
  constants: ReadonlyMap<string, PhpLiteral>
  table_prefix: string | undefined
  /** The names among `WP_CONSTANTS` and `$table_prefix` whose values only a run reveals. */
  unsure: ReadonlySet<string>
}

/** The location of a wp-config.php, as real paths. */
export interface ConfigPlace {
  file: string
  /** The folder of wp-load.php, with a final slash. */
  abspath: string
}

const INCLUDE = /^(?:require|require_once|include|include_once)$/i
const PREFIX = '$table_prefix'

/**
 * Reads constants and `$table_prefix` from a wp-config.php without running it. A value is known
 * only if its definition always runs, if nothing can have defined the constant before, and if it is
 * a constant expression (see `constantValue`). A constant keeps its first value, a variable its
 * last (PHP manual, define).
 */
export function parseWpConfig(source: string, place?: ConfigPlace): WpConfig {
  const tokens = phpTokens(source)
  const reading = new ConfigReading(place)
  if (!isStructured(tokens)) reading.unknownCode()
  for (const statement of statements(tokens)) {
    if (isEndOfSettings(statement)) break
    reading.statement(isSign(statement[0], '@') ? statement.slice(1) : statement)
  }
  return reading.config()
}

class ConfigReading {
  readonly #constants = new Map<string, PhpLiteral>()
  /** The constants that may be defined already, with an unknown value. */
  readonly #maybe = new Set<string>()
  readonly #file: string | undefined
  #anything = false
  #prefix: string | undefined
  /** True when the variable is used in a way that assignments may not end, such as a reference. */
  #prefix_lost = false
  #prefix_set = false

  constructor(place: ConfigPlace | undefined) {
    this.#file = place?.file
    // wp-load.php defines it before it loads the file.
    if (place) this.#constants.set('ABSPATH', place.abspath)
    else this.#maybe.add('ABSPATH')
  }

  statement(tokens: readonly PhpToken[]): void {
    const definition = definitionIn(tokens) ?? guardedDefinition(tokens)
    if (definition) this.#define(...definition)
    else if (tokens[0]?.text === PREFIX && isSign(tokens[1], '=')) this.#assign(tokens.slice(2))
    else if (isWord(tokens[0], /^(?:exit|die)$/i)) this.unknownCode()
    else this.#effects(effectsOf(tokens))
  }

  unknownCode(): void {
    this.#anything = true
    this.#prefix = undefined
    this.#prefix_set = true
    this.#prefix_lost = true
  }

  config(): WpConfig {
    const open = (name: string) => this.#anything || this.#maybe.has(name)
    const unsure = new Set(WP_CONSTANTS.filter((name) => !this.#constants.has(name) && open(name)))
    const set = this.#prefix_set || this.#prefix_lost
    if (set && this.#prefix === undefined) unsure.add(PREFIX)
    return { constants: this.#constants, table_prefix: this.#prefix, unsure }
  }

  #define(name: string, expression: readonly PhpToken[]): void {
    this.#effects(effectsOf(expression))
    if (this.#constants.has(name)) return
    const known = { constants: this.#constants, file: this.#file }
    const free = !this.#anything && !this.#maybe.has(name)
    const value = free ? constantValue(expression, known) : undefined
    if (value === undefined) this.#maybe.add(name)
    else this.#constants.set(name, value)
  }

  #assign(expression: readonly PhpToken[]): void {
    this.#effects(effectsOf(expression))
    const value = constantValue(expression, { constants: this.#constants, file: this.#file })
    this.#prefix_set = true
    this.#prefix = typeof value === 'string' && !this.#prefix_lost ? value : undefined
  }

  #effects({ constants, anything, prefix }: CodeEffects): void {
    for (const name of constants) this.#maybe.add(name)
    this.#prefix_lost ||= prefix
    if (anything) {
      this.#anything = true
      this.#prefix_set = true
    }
    if (anything || prefix) this.#prefix = undefined
  }
}

type Definition = [name: string, expression: readonly PhpToken[]]

/** Parses `define('X', …)`, with or without a third argument that is `false`, or `const X = …`. */
function definitionIn(tokens: readonly PhpToken[]): Definition | undefined {
  const [word, first, second, third] = tokens
  if (isWord(word, /^const$/i) && first?.kind === 'word' && isSign(second, '=')) {
    return [first.text ?? '', tokens.slice(3)]
  }
  if (!isWord(word, /^\\?define$/i) || !isSign(first, '(') || !isSign(third, ',')) return undefined
  if (second?.kind !== 'string' || second.text === undefined || !isSign(tokens.at(-1), ')')) {
    return undefined
  }
  const plain = tokens.length > 7 && isSign(tokens.at(-3), ',') && isWord(tokens.at(-2), /^false$/i)
  return [second.text, tokens.slice(4, plain ? -3 : -1)]
}

/** Parses a definition unless the constant exists: `if (!defined('X')) …`, `defined('X') || …`. */
function guardedDefinition(tokens: readonly PhpToken[]): Definition | undefined {
  const negated = isWord(tokens[0], /^if$/i) && isSign(tokens[1], '(') && isSign(tokens[2], '!')
  const guard = tokens.slice(negated ? 3 : 0)
  const [word, open, name, close] = guard
  if (!isWord(word, /^\\?defined$/i) || !isSign(open, '(') || !isSign(close, ')')) return undefined
  const inner = negated ? bodyOf(guard.slice(4)) : alternativeIn(guard.slice(4))
  const definition = inner && definitionIn(inner)
  return name?.kind === 'string' && definition?.[0] === name.text ? definition : undefined
}

/** Returns the one statement after `if (!defined('X')`, in a block or alone. */
function bodyOf(tokens: readonly PhpToken[]): readonly PhpToken[] | undefined {
  if (!isSign(tokens[0], ')')) return undefined
  if (!isSign(tokens[1], '{')) return tokens.slice(1)
  if (!isSign(tokens.at(-1), '}') || !isSign(tokens.at(-2), ';')) return undefined
  const inner = tokens.slice(2, -2)
  return inner.some((token) => isSign(token, ';')) ? undefined : inner
}

function alternativeIn(tokens: readonly PhpToken[]): readonly PhpToken[] | undefined {
  if (isWord(tokens[0], /^or$/i)) return tokens.slice(1)
  return isSign(tokens[0], '|') && isSign(tokens[1], '|') ? tokens.slice(2) : undefined
}

/** Returns whether the statement loads WordPress: definitions after it come too late. */
function isEndOfSettings(tokens: readonly PhpToken[]): boolean {
  const path = tokens.find(({ kind }) => kind === 'string')?.text ?? ''
  return isWord(tokens[0], INCLUDE) && /(?:^|\/)wp-settings\.php$/.test(path)
}

/** The possible effects of code on the settings of a site. */
interface CodeEffects {
  /** The constants that it may define. */
  constants: Set<string>
  /** True when it may define any constant, and set any variable. */
  anything: boolean
  /** True when it mentions the variable of the table prefix. */
  prefix: boolean
}

const UNKNOWN_CODE =
  /^(?:include|include_once|require|require_once|eval|new|return|throw|yield|global|clone)$/i
/** Matches keywords that are not calls before an opening bracket. */
const NO_CALLS =
  /^(?:if|elseif|while|for|foreach|switch|match|catch|declare|isset|empty|unset|array|list|exit|die|echo|print|and|or|xor|function|fn|use|static)$/i
/** The functions of PHP that define nothing, and call nothing back. */
const HARMLESS = new Set(
  `defined constant dirname basename realpath rtrim ltrim trim substr strpos stripos strstr strlen
  strtolower strtoupper str_replace str_contains str_starts_with str_ends_with sprintf implode explode
  preg_match preg_replace in_array is_array is_string count strcmp strcasecmp md5 sha1 intval strval
  boolval filter_var file_exists is_file is_dir is_readable function_exists extension_loaded getenv
  php_sapi_name phpversion version_compare ini_set ini_get error_reporting set_time_limit umask
  date_default_timezone_set setlocale mb_internal_encoding header ignore_user_abort time microtime date
  gethostname php_uname parse_url http_build_query json_decode round floor ceil min max`
    .trim()
    .split(/\s+/),
)

/** Finds the effects of code of any shape; unknown code counts as the worst case. */
function effectsOf(tokens: readonly PhpToken[]): CodeEffects {
  const effects: CodeEffects = { constants: new Set(), anything: false, prefix: false }
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'variable') {
      effects.prefix ||= token.text === '$table_prefix' || token.text === '$GLOBALS'
    }
    // `$$name`, and a call of a computed name.
    effects.anything ||= isSign(token, '$') || isWord(token, UNKNOWN_CODE)
    // `const A = 1, B = 2`
    if (token.kind === 'word' && isSign(tokens[at + 1], '='))
      effects.constants.add(token.text ?? '')
    if (isSign(tokens[at + 1], '(')) call(tokens, at, effects)
  }
  return effects
}

function call(tokens: readonly PhpToken[], at: number, effects: CodeEffects): void {
  const token = tokens[at]
  if (token?.kind === 'sign') {
    effects.anything ||= token.text === ')' || token.text === ']' || token.text === '}'
    return
  }
  if (token?.kind !== 'word') {
    effects.anything = true
    return
  }
  const name = (token.text ?? '').toLowerCase().replace(/^\\/, '')
  const before = tokens[at - 1]
  if (isSign(before, '>') || isSign(before, ':') || isWord(before, /^function$/i)) {
    effects.anything ||= !isWord(before, /^function$/i)
  } else if (name === 'define') defines(tokens[at + 2], effects)
  else effects.anything ||= !NO_CALLS.test(name) && !HARMLESS.has(name)
}

function defines(name: PhpToken | undefined, effects: CodeEffects): void {
  if (name?.kind === 'string' && name.text !== undefined) effects.constants.add(name.text)
  else effects.anything = true
}
