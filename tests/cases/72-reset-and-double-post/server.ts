/** Case 72: counts each request and closes without an answer. Prints its port, then what it saw. */

import http from "node:http";

let count = 0;
const server = http.createServer((request) => {
  console.log(++count, request.method, request.url);
  request.socket.destroy();
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as { port: number }).port));
