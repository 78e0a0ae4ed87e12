/** Downloads a text as a file. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  saveFrom(url, name)
  URL.revokeObjectURL(url)
}

/** Downloads what is at an address, with the name that the server gives it. */
export function saveFrom(url: string, name = ''): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
