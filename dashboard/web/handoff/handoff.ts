import { isHandoff, READY } from './message.ts'

// The page of a new tab: it gets a token from the page that opened it, and posts it to a site. The
// token is never part of an address.
const opener: Window | null = window.opener

function post(url: string, token: string): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = url
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'token'
  field.value = token
  form.append(field)
  document.body.append(form)
  form.submit()
}

addEventListener('message', ({ origin, source, data }) => {
  if (origin !== location.origin || source !== opener || !isHandoff(data)) return
  post(data.url, data.token)
})
if (opener) opener.postMessage(READY, location.origin)
else document.body.textContent = 'Log in from the page of a site in the dashboard.'
