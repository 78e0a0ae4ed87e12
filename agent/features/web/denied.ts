const denied = (pattern: string) => `    location ${pattern} {
        deny all;
    }
`
export const NO_XMLRPC = denied('~* /xmlrpc\\.php$')

/** Before everything that serves: the first regular expression that matches wins. */
export const DENIED = [
  '~ /\\.(?!well-known/)',
  '~* /(?:uploads|files|blogs\\.dir|upgrade|cache)/.*\\.ph(?:p\\d*|tml|ar|ps|t)(?:/|$)',
  '~* ^/wp-includes/(?!ms-files\\.php$|js/tinymce/wp-tinymce\\.php$).*\\.php$',
  '~* ^/wp-admin/(?:install|setup-config)\\.php$',
  '~* /wp-config[^/]*(?:\\.[^/]*|~)$',
  '~* (?:\\.(?:bak|old|orig|save|sql|log|sw[op]|pem|key|inc|sh|phps|phtml|phar)|~)$',
  '~* ^/(?!wp-content/uploads/).*\\.(?:tar|gz|tgz|bz2|xz|zst|zip|7z|rar)$',
  '~* /(?:readme|license|licence|changelog)\\.(?:txt|md|html)$',
  '~* /(?:composer|package|package-lock|yarn|auth)\\.(?:json|lock)$',
].map(denied)
