export const HEADER_BYTES = 8192
/** Matches what PHP's trim() removes: blank, tab, line ends, vertical tab, NUL. */
const EDGES = /^[ \n\r\t\v\0]+|[ \n\r\t\v\0]+$/g

export interface ExtensionHeaders {
  name: string
  version: string
  template: string
}

const PLUGIN_NAME = pattern('Plugin Name')
const THEME_NAME = pattern('Theme Name')
const VERSION = pattern('Version')
const TEMPLATE = pattern('Template')

/** Returns headers of a plugin's main file; undefined without `Plugin Name` (get_plugins). */
export function pluginHeaders(head: string): ExtensionHeaders | undefined {
  const text = withLineFeeds(head)
  const name = headerOf(text, PLUGIN_NAME)
  // PHP treats "0" as empty, also after leading blanks.
  return name === '' || name === '0'
    ? undefined
    : { name, version: headerOf(text, VERSION), template: '' }
}

/** Returns headers of a style.css (WP_Theme). */
export function themeHeaders(head: string): ExtensionHeaders {
  const text = withLineFeeds(head)
  return {
    name: headerOf(text, THEME_NAME),
    version: headerOf(text, VERSION),
    template: headerOf(text, TEMPLATE),
  }
}

/** Replaces carriage returns: WordPress counts bytes and takes them as line ends. */
function withLineFeeds(head: string): string {
  return head.includes('\r') ? head.replaceAll('\r', '\n') : head
}

/** Returns the expression of get_file_data() without `m`, as JavaScript has more line ends. */
function pattern(name: string): RegExp {
  return new RegExp(`(?:^|\\n)(?:[ \\t]*<\\?(?:php)?)?[ \\t/*#@]*${name}:([^\\n]*)`, 'i')
}

/** Returns the first header only except "0", which is empty in PHP (_cleanup_header_comment). */
function headerOf(text: string, header: RegExp): string {
  const value = header.exec(text)?.[1] ?? ''
  if (value === '0') return ''
  const end = value.search(/\*\/|\?>/)
  return (end < 0 ? value : value.slice(0, end)).replace(EDGES, '')
}
