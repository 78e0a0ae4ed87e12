/** What holds for every call, in CommonMark. */
export const INTRODUCTION = `Runs many servers and the WordPress sites on them.

**Signing in.** \`POST /api/auth/login\` sets the cookie \`session\`; scripts send an API token as
\`Authorization: Bearer <token>\`. A token expires, and has a scope: \`read\` for calls that change
nothing and show no password, \`operate\` for everyday work on sites and servers, \`admin\` for
everything except creating tokens, changing the password and rotating keys, which need a session. A scope that is too
small is 403. Without either, every call under \`/api\` except the login is answered with 401. A change
that a browser sends with the cookie must come from a script of the same origin, with the content
type \`application/json\`, otherwise it is 403.

**Bodies** are JSON objects of at most 1 MiB. Unknown fields of the body and the query are 422, except
where the schema of a body allows them, and strings except passwords are trimmed. Times are ISO 8601 in
UTC. The checks in their order: 401, 404 for an unknown path, 400 for anything but a JSON object, 404
for an object of the path, 422 for a field.

**Errors** have \`error\` and, with few exceptions, \`message\`; of 422, \`fields\` holds the rules that
each field breaks. Any call may be answered with 500 when something went wrong here, and the header
\`X-Request-Id\` of every answer identifies its lines in the log.

**Streams.** Long work is a stored operation with numbered events, and a stream is a view of it:
closing it cancels nothing, and \`GET /api/operations/<id>/events\` with \`Last-Event-ID\` continues
where it stopped. Each event has \`id\` (counted from 1 without gaps), \`event\` (\`log\`, \`complete\` or
\`error\`) and \`data\`, one line of JSON; one \`complete\` or \`error\` ends the stream, and \`: ping\`
keeps a quiet one open. A failure before the first event is an ordinary status. In this document
the schema of a stream is that of the data of one event, and \`x-events\` has those of each kind.

**Plans.** With \`dry_run\`, in the body or the query, a call that changes a machine answers with its
plan, and changes nothing. A call without a plan refuses it with 422.

\`HEAD\` is answered wherever \`GET\` is.
`
