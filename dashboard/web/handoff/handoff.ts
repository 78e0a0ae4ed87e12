import { isAllowed, isHandoff, originIn, READY } from './message.ts'

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

function show(text: string): void {
  const status = document.querySelector('[role=status]')
  if (status) status.textContent = text
}

addEventListener('message', ({ origin, source, data }) => {
  if (origin !== location.origin || source !== opener || !isHandoff(data)) return
  if (isAllowed(data, location)) post(data.url, data.token)
  else show('The server returned an address that is not one of the site. Nothing was sent there.')
})
if (!opener) show('Log in from the page of a site in the dashboard.')
else if (originIn(location.search) !== null) opener.postMessage(READY, location.origin)
