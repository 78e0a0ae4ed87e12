/** What holds for every call, in CommonMark. */
export const INTRODUCTION = `Runs many servers and the WordPress sites on them.

**Signing in.** \`POST /api/auth/login\` sets the cookie \`session\`; scripts send an API token as
\`Authorization: Bearer <token>\`. A token expires, and has a scope: \`read\` for calls that change
nothing and show no password, \`operate\` for everyday work on sites and servers, \`admin\` for all but
making tokens, changing the password and rotating keys, which need a session. A scope that is too
small is 403. All under \`/api\` but the login answers 401 without either. A change
that a browser sends with the cookie must come from the same origin, otherwise it is 403.

**Bodies** are JSON of at most 1 MiB. Unknown fields are ignored, and strings but passwords are
trimmed. Times are ISO 8601 in UTC. Which answer comes first: 401, 404 for an unknown path, 400 for malformed JSON, 404
for what the path names, 422 for a field.

**Errors** have \`error\` and, with few exceptions, \`message\`; of 422, \`fields\` holds the rules that
each field breaks. Any call may be answered with 500 when something went wrong here, and the header
\`X-Request-Id\` of every answer leads to the lines of the log.

**Streams.** Long work is a stored operation with numbered events, and a stream is a view of it:
closing it cancels nothing, and \`GET /api/operations/<id>/events\` with \`Last-Event-ID\` goes on where
it stopped. Each event has \`id\` (counted from 1 without gaps), \`event\` (\`log\`, \`complete\` or
\`error\`) and \`data\`, one line of JSON; one \`complete\` or \`error\` ends the stream, and \`: ping\`
keeps a quiet one open. What fails before the first event is an ordinary status. Here the schema of a
stream is that of the data of one event, and \`x-events\` has those of each kind.

**Plans.** With \`dry_run\`, a call that changes a machine answers with what it would do, and does
nothing.

\`HEAD\` is answered wherever \`GET\` is.
`
