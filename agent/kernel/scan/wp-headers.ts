export const HEADER_BYTES = 8192
/** PHP's trim(): blank, tab, line ends, vertical tab, NUL. */
const EDGES = /^[ \n\r\t\v\0]+|[ \n\r\t\v\0]+$/g

export interface Headers {
  name: string
  version: string
  template: string
}

const PLUGIN_NAME = pattern('Plugin Name')
const THEME_NAME = pattern('Theme Name')
const VERSION = pattern('Version')
const TEMPLATE = pattern('Template')

/** Headers of a plugin's main file; undefined for a file without `Plugin Name` (get_plugins). */
export function pluginHeaders(head: string): Headers | undefined {
  const text = withLineFeeds(head)
  const name = headerOf(text, PLUGIN_NAME)
  // PHP treats "0" as empty, also after leading blanks.
  return name === '' || name === '0'
    ? undefined
    : { name, version: headerOf(text, VERSION), template: '' }
}

/** Headers of a style.css (WP_Theme). */
export function themeHeaders(head: string): Headers {
  const text = withLineFeeds(head)
  return {
    name: headerOf(text, THEME_NAME),
    version: headerOf(text, VERSION),
    template: headerOf(text, TEMPLATE),
  }
}

/** WordPress counts bytes, and treats carriage returns as line ends (get_file_data). */
function withLineFeeds(head: string): string {
  return head.includes('\r') ? head.replaceAll('\r', '\n') : head
}

/** The expression of get_file_data(), with `m` expanded because JavaScript has more line ends. */
function pattern(name: string): RegExp {
  return new RegExp(`(?:^|\\n)(?:[ \\t]*<\\?(?:php)?)?[ \\t/*#@]*${name}:([^\\n]*)`, 'i')
}

/** Only the first one counts; PHP treats "0" as empty; cut as _cleanup_header_comment() does. */
function headerOf(text: string, header: RegExp): string {
  const value = header.exec(text)?.[1] ?? ''
  if (value === '0') return ''
  const end = value.search(/\*\/|\?>/)
  return (end < 0 ? value : value.slice(0, end)).replace(EDGES, '')
}
