import { isSign, isWord } from './php-statements.ts'
import type { PhpToken } from './php-tokens.ts'

/** The possible effects of code on the settings of a site. */
export interface Effects {
  /** Constants that it may define. */
  constants: Set<string>
  /** It may define any constant, and set any variable. */
  anything: boolean
  /** It mentions the variable of the table prefix. */
  prefix: boolean
}

const UNKNOWN_CODE =
  /^(?:include|include_once|require|require_once|eval|new|return|throw|yield|global|clone)$/i
/** Keywords that are not calls before an opening bracket. */
const NO_CALLS =
  /^(?:if|elseif|while|for|foreach|switch|match|catch|declare|isset|empty|unset|array|list|exit|die|echo|print|and|or|xor|function|fn|use|static)$/i
/** PHP's own functions that define nothing, and call nothing back. */
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

/** For code of any shape; unknown code counts as the worst case. */
export function effectsOf(tokens: readonly PhpToken[]): Effects {
  const effects: Effects = { constants: new Set(), anything: false, prefix: false }
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

function call(tokens: readonly PhpToken[], at: number, effects: Effects): void {
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

function defines(name: PhpToken | undefined, effects: Effects): void {
  if (name?.kind === 'string' && name.text !== undefined) effects.constants.add(name.text)
  else effects.anything = true
}
