/** The database of the seventh site, with the table of active plugins. */
export const DATABASE = `
mariadb <<'SQL'
CREATE DATABASE site7;
CREATE USER site7@localhost IDENTIFIED BY 'secret of site7';
GRANT ALL PRIVILEGES ON site7.* TO site7@localhost;
CREATE TABLE site7.wp_options (
  option_id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
  option_name VARCHAR(191) NOT NULL UNIQUE,
  option_value LONGTEXT NOT NULL,
  autoload VARCHAR(20) NOT NULL DEFAULT 'yes'
);
INSERT INTO site7.wp_options (option_name, option_value) VALUES
  ('active_plugins', 'a:1:{i:0;s:11:"one/one.php";}'), ('template', 'one'), ('stylesheet', 'one');
SQL
`

export const LOCK = 'LOCK TABLES wp_options WRITE; SELECT SLEEP(600)'

/** A plugin whose file blocks readers until somebody writes. */
export const FIFO = `
cd /var/www/site7/wp-content/plugins
mkdir pipe
mkfifo pipe/pipe.php
chown -R www-data:www-data pipe
`

export const HUGE = `
cd /var/www/site7/wp-content/plugins
mkdir many
cd many
seq 100000 | sed 's/$/.php/' | xargs -n 1000 touch
`
