import { draw } from "./chart";
import { connect } from "./socket";

connect((readings) => draw(readings));
